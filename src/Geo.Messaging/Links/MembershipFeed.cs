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

    public MembershipFeed(Action<MembershipChange> listener, ILogger logger)
    {
        using (ExecutionContext.IsFlowSuppressed() ? default(AsyncFlowControl?) : ExecutionContext.SuppressFlow())
        {
            _ = Task.Run(() => TellAsync(listener, logger));
        }
    }

    public void Add(MembershipChange change) => _changes.Writer.TryWrite(change);

    private async Task TellAsync(Action<MembershipChange> listener, ILogger logger)
    {
        await foreach (var change in _changes.Reader.ReadAllAsync())
        {
            try
            {
                listener(change);
            }
#pragma warning disable CA1031 // One listener's fault must not silence the feed.
            catch (Exception e)
#pragma warning restore CA1031
            {
                MessagingLog.EventHandlerFailed(logger, e);
            }
        }
    }
}
