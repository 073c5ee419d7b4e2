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
    private readonly Action _askHelp;
    private bool _asked;
    private int _working;

    public EndedRequests(TurnWatch turns) => (_turns, _askHelp) = (turns, AskHelp);

    /// <summary>Adds a request that has been taken out of the table; null is none. For the receive loop alone.</summary>
    public void Add(PendingRequest? request, ClusterReply end)
    {
        if (request is not null)
        {
            _arrived.Add((request, end));
        }
    }

    /// <summary>Lets what was added be ended. For the receive loop alone.</summary>
    public void Publish()
    {
        if (_arrived.Count == 0)
        {
            return;
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
        if (ask)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        lock (_lock)
        {
            _asked = false;
            _working++;
        }

        var turn = _turns.Begin(_askHelp);
        while (TryTake(out var ended))
        {
            ended.Request.Complete(ended.End, here: true);
            if (turn.Step())
            {
                AskHelp();
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
