using System.Threading.Channels;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Hands membership changes to their listener one at a time and in order, on the thread pool.</summary>
internal sealed class MembershipFeed
{
    // Far more than links can flap while a listener is held up; the oldest give way, since Members is the truth.
    private const int Limit = 4096;

    private readonly Channel<MembershipChange> _changes = Channel.CreateBounded<MembershipChange>(
        new BoundedChannelOptions(Limit) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    private readonly Action<MembershipChange> _listener;
    private readonly ILogger _logger;

    public MembershipFeed(Action<MembershipChange> listener, ILogger logger)
    {
        (_listener, _logger) = (listener, logger);

        // Unsafe: listeners are told without the context of whoever creates the node.
        ThreadPool.UnsafeQueueUserWorkItem(static feed => _ = feed.TellAsync(), this, preferLocal: false);
    }

    public void Add(MembershipChange change) => _changes.Writer.TryWrite(change);

    private async Task TellAsync()
    {
        await foreach (var change in _changes.Reader.ReadAllAsync())
        {
            try
            {
                _listener(change);
            }
#pragma warning disable CA1031 // One listener's fault must not silence the feed.
            catch (Exception e)
#pragma warning restore CA1031
            {
                MessagingLog.EventHandlerFailed(_logger, e);
            }
        }
    }
}
