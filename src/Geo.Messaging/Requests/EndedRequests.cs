namespace Geo.Messaging;

/// <summary>
/// The requests of one lane whose replies have arrived. Those of one received buffer are ended together, in one work item, in which what
/// follows them runs one after another. Nobody waits behind one who blocks or computes: after a <see cref="Burst.Slice"/>, or when the
/// <see cref="BurstWatch"/> finds it stuck, another work item takes what is left.
/// </summary>
internal sealed class EndedRequests : IThreadPoolWorkItem
{
    private readonly BurstWatch _bursts;
    private readonly Action _slow;
    private readonly Action _takeTime;
    private readonly Lock _lock = new();
    private readonly List<PendingRequest> _arrived = [];
    private readonly Queue<PendingRequest> _ready = new();
    private bool _asked;
    private int _working;

    public EndedRequests(BurstWatch bursts, Action slow) => (_bursts, _slow, _takeTime) = (bursts, slow, TakeTime);

    /// <summary>Adds a request that has been taken out of the table; null is none. For the receive loop alone.</summary>
    public void Add(PendingRequest? request, ClusterReply end)
    {
        if (request is not null)
        {
            request.Prepare(end);
            _arrived.Add(request);
        }
    }

    /// <summary>Lets what was added be ended. For the receive loop alone.</summary>
    /// <returns>True when nobody is at it, so that the caller must see to it that this is executed.</returns>
    public bool Publish()
    {
        if (_arrived.Count == 0)
        {
            return false;
        }

        bool ask;
        lock (_lock)
        {
            foreach (var request in _arrived)
            {
                _ready.Enqueue(request);
            }

            ask = _working == 0 && !_asked;
            _asked |= ask;
        }

        _arrived.Clear();
        return ask;
    }

    void IThreadPoolWorkItem.Execute()
    {
        lock (_lock)
        {
            _asked = false;
            _working++;
        }

        var burst = _bursts.Begin(_takeTime);
        while (TryTake() is { } ended)
        {
            ended.CompleteHere();
            if (burst.Step())
            {
                TakeTime();
            }
        }

        _bursts.End(burst);
    }

    private PendingRequest? TryTake()
    {
        lock (_lock)
        {
            if (!_ready.TryDequeue(out var ended))
            {
                _working--;
            }

            return ended;
        }
    }

    // The receive loop goes on, and another thread helps.
    private void TakeTime()
    {
        _slow();
        lock (_lock)
        {
            if (_asked || _ready.Count == 0)
            {
                return;
            }

            _asked = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
