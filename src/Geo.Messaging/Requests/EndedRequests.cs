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
    private readonly Action _stuck;
    private readonly Lock _lock = new();
    private Chain _arrived;
    private Chain _ready;
    private bool _asked;
    private int _working;

    /// <param name="bursts">Looks after what follows replies.</param>
    /// <param name="slow">Called when what follows replies takes its time.</param>
    public EndedRequests(BurstWatch bursts, Action slow) => (_bursts, _slow, _stuck) = (bursts, slow, TakeTime);

    /// <summary>Adds a request that has been taken out of the table; null is none. For the receive loop alone.</summary>
    public void Add(PendingRequest? request, ClusterReply end)
    {
        if (request is not null)
        {
            request.Prepare(end);
            _arrived.Append(new Chain(request));
        }
    }

    /// <summary>Lets what was added be ended. For the receive loop alone.</summary>
    /// <returns>True when nobody is at it, so that the caller must see to it that this is executed.</returns>
    public bool Publish()
    {
        if (_arrived.IsEmpty)
        {
            return false;
        }

        bool ask;
        lock (_lock)
        {
            _ready.Append(_arrived);
            ask = _working == 0 && !_asked;
            _asked |= ask;
        }

        _arrived = default;
        return ask;
    }

    void IThreadPoolWorkItem.Execute()
    {
        lock (_lock)
        {
            _asked = false;
            _working++;
        }

        var burst = _bursts.Begin(_stuck);
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
            if (_ready.TakeFirst() is { } ended)
            {
                return ended;
            }

            _working--;
            return null;
        }
    }

    private void TakeTime()
    {
        _slow();
        AskHelp();
    }

    private void AskHelp()
    {
        lock (_lock)
        {
            if (_asked || _ready.IsEmpty)
            {
                return;
            }

            _asked = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    // Linked by the requests themselves, so that a whole buffer of replies is handed over at once.
    private struct Chain(PendingRequest only)
    {
        private PendingRequest? _first = only;
        private PendingRequest? _last = only;

        public readonly bool IsEmpty => _first is null;

        public void Append(Chain more)
        {
            if (_last is null)
            {
                this = more;
                return;
            }

            _last.Next = more._first;
            _last = more._last;
        }

        public PendingRequest? TakeFirst()
        {
            if (_first is not { } first)
            {
                return null;
            }

            _first = first.Next;
            first.Next = null;
            if (_first is null)
            {
                _last = null;
            }

            return first;
        }
    }
}
