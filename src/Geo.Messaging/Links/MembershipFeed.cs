using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Hands membership changes to their listener one at a time and in order, on the thread pool.</summary>
internal sealed class MembershipFeed(Action<MembershipChange> listener, ILogger logger) : IThreadPoolWorkItem
{
    // Far more than links can flap while a listener is held up; the oldest give way, since Members is the truth.
    private const int Limit = 4096;

    private readonly Lock _lock = new();
    private readonly Queue<MembershipChange> _waiting = new();
    private bool _draining;

    public void Add(MembershipChange change)
    {
        lock (_lock)
        {
            if (_waiting.Count == Limit)
            {
                _waiting.Dequeue();
            }

            _waiting.Enqueue(change);
            if (_draining)
            {
                return;
            }

            _draining = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            MembershipChange? change;
            lock (_lock)
            {
                if (!_waiting.TryDequeue(out change))
                {
                    _draining = false;
                    return;
                }
            }

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
