using System.Threading.Channels;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Tells the listeners of an event of the node, one happening at a time and in order, on the thread pool.</summary>
internal sealed class EventFeed<T>
{
    // Far more than links can flap while a listener is held up; the oldest give way, since Members and the metrics are the truth.
    private const int Limit = 4096;

    private readonly Channel<T> _happened = Channel.CreateBounded<T>(
        new BoundedChannelOptions(Limit) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    private readonly Func<Action<T>?> _listeners;
    private readonly ILogger _logger;

    public EventFeed(Func<Action<T>?> listeners, ILogger logger)
    {
        (_listeners, _logger) = (listeners, logger);

        // Unsafe: listeners are told without the context of whoever creates the node.
        ThreadPool.UnsafeQueueUserWorkItem(static feed => _ = feed.TellAsync(), this, preferLocal: false);
    }

    public void Add(T happened) => _happened.Writer.TryWrite(happened);

    private async Task TellAsync()
    {
        await foreach (var happened in _happened.Reader.ReadAllAsync())
        {
            Tell(happened);
        }
    }

    private void Tell(T happened)
    {
        foreach (var listener in Delegate.EnumerateInvocationList(_listeners()))
        {
            try
            {
                listener(happened);
            }
#pragma warning disable CA1031 // One listener's fault must not silence the feed, nor keep the others from hearing.
            catch (Exception e)
#pragma warning restore CA1031
            {
                MessagingLog.EventHandlerFailed(_logger, e);
            }
        }
    }
}
