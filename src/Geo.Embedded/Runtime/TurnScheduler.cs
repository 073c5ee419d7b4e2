namespace Geo.Embedded;

/// <summary>
/// Runs the turns of one activation one at a time, on the thread pool unless the surroundings have another place for them. An idle
/// activation costs no thread; a busy one gives its thread back after a quantum, so that others get their turn.
/// </summary>
/// <param name="grain">The grain, as text.</param>
/// <param name="silo">Gives threads, the time and the quantum.</param>
internal sealed class TurnScheduler(object grain, SiloContext silo) : TaskScheduler, IThreadPoolWorkItem
{
    [ThreadStatic]
    private static TurnScheduler? _onThisThread;

    private readonly Lock _gate = new();
    private readonly Queue<Task> _tasks = new();
    private bool _isScheduled;
    private long _sliceBegan;

    public override int MaximumConcurrencyLevel => 1;

    /// <summary>True when the present slice has used up its quantum; asked from within a turn.</summary>
    public bool QuantumIsOver => silo.Time.GetTimestamp() - _sliceBegan > silo.TurnQuantum;

    /// <summary>
    /// Runs an action as a turn. Whoever happens to post it lends it nothing: neither a request context nor a chain of calls.
    /// </summary>
    public void Post(Action<object?> action, object? state)
    {
        if (ExecutionContext.IsFlowSuppressed())
        {
            Start(action, state);
            return;
        }

        using (ExecutionContext.SuppressFlow())
        {
            Start(action, state);
        }
    }

    public override string? ToString() => grain.ToString();

    void IThreadPoolWorkItem.Execute()
    {
        _sliceBegan = silo.Time.GetTimestamp();
        _onThisThread = this;
        try
        {
            while (TryTake() is { } task)
            {
                TryExecuteTask(task);
                if (QuantumIsOver)
                {
                    if (HasMore())
                    {
                        silo.Around.Queue(this, preferLocal: false);
                    }

                    return;
                }
            }
        }
        finally
        {
            _onThisThread = null;
        }
    }

    protected override void QueueTask(Task task)
    {
        lock (_gate)
        {
            _tasks.Enqueue(task);
            if (_isScheduled)
            {
                return;
            }

            _isScheduled = true;
        }

        silo.Around.Queue(this, preferLocal: true);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        !taskWasPreviouslyQueued && _onThisThread == this && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (_gate)
        {
            return [.. _tasks];
        }
    }

    private void Start(Action<object?> action, object? state) =>
        new Task(action, state, CancellationToken.None, TaskCreationOptions.DenyChildAttach).Start(this);

    private Task? TryTake()
    {
        lock (_gate)
        {
            if (_tasks.TryDequeue(out var task))
            {
                return task;
            }

            _isScheduled = false;
            return null;
        }
    }

    private bool HasMore()
    {
        lock (_gate)
        {
            return _isScheduled = _tasks.Count > 0;
        }
    }
}
