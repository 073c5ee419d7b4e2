namespace Geo.Messaging;

/// <summary>
/// The requests of one lane whose replies have arrived. Those of one received buffer are ended together, in one work item of the pool, in
/// which what follows them runs one after another. Nobody waits behind one who blocks or computes: after a <see cref="Turn.Slice"/>, or when
/// the <see cref="TurnWatch"/> finds it stuck, another work item takes what is left.
/// </summary>
internal sealed class EndedRequests : IThreadPoolWorkItem
{
    private readonly TurnWatch _turns;
    private readonly Lock _lock = new();
    private readonly Queue<(PendingRequest Request, ClusterReply End)> _ready = new();
    private readonly List<(PendingRequest Request, ClusterReply End)> _arrived = [];
    private readonly Action _slow;
    private readonly Action _stuck;
    private bool _asked;
    private int _working;

    /// <param name="turns">Looks after what follows replies.</param>
    /// <param name="slow">Called when what follows replies takes its time.</param>
    public EndedRequests(TurnWatch turns, Action slow) => (_turns, _slow, _stuck) = (turns, slow, TakeTime);

    /// <summary>Adds a request that has been taken out of the table; null is none. For the receive loop alone.</summary>
    public void Add(PendingRequest? request, ClusterReply end)
    {
        if (request is not null)
        {
            _arrived.Add((request, end));
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
            foreach (var ended in _arrived)
            {
                _ready.Enqueue(ended);
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

        var turn = _turns.Begin(_stuck);
        while (TryTake(out var ended))
        {
            ended.Request.Complete(ended.End, here: true);
            if (turn.Step())
            {
                TakeTime();
            }
        }

        _turns.End(turn);
    }

    private bool TryTake(out (PendingRequest Request, ClusterReply End) ended)
    {
        lock (_lock)
        {
            if (_ready.TryDequeue(out ended))
            {
                return true;
            }

            _working--;
            return false;
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
            if (_asked || _ready.Count == 0)
            {
                return;
            }

            _asked = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
