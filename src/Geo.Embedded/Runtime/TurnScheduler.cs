namespace Geo.Embedded;

/// <summary>
/// Runs the turns of one activation one at a time, on the thread pool unless the surroundings have another place for them. An idle
/// activation costs no thread; a busy one gives its thread back after a quantum, so that others get their turn.
/// </summary>
/// <param name="activation">The activation.</param>
internal sealed class TurnScheduler(Activation activation) : TaskScheduler, IThreadPoolWorkItem
{
    private const int MaxSpare = 64;

    [ThreadStatic]
    private static TurnScheduler? _onThisThread;

    [ThreadStatic]
    private static long _sliceBegan;

    // Mostly there is one; those after it are in a queue, which is there while it is needed.
    private Task? _next;
    private Queue<Task>? _later;
    private bool _isScheduled;

    public override int MaximumConcurrencyLevel => 1;

    /// <summary>True when the present slice has used up its quantum; asked from within a turn.</summary>
    public bool QuantumIsOver => activation.Silo.Time.GetTimestamp() - _sliceBegan > activation.Silo.TurnQuantum;

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

    public override string? ToString() => activation.ToString();

    void IThreadPoolWorkItem.Execute()
    {
        _sliceBegan = activation.Silo.Time.GetTimestamp();
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
                        activation.Silo.Around.Queue(this, preferLocal: false);
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
        lock (this)
        {
            if (_next is null)
            {
                _next = task;
            }
            else
            {
                (_later ??= Spare<Queue<Task>>.Take()).Enqueue(task);
            }

            if (_isScheduled)
            {
                return;
            }

            _isScheduled = true;
        }

        activation.Silo.Around.Queue(this, preferLocal: true);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        !taskWasPreviouslyQueued && _onThisThread == this && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (this)
        {
            return _next is null ? [] : [_next, .. _later ?? []];
        }
    }

    private void Start(Action<object?> action, object? state) =>
        new Task(action, state, CancellationToken.None, TaskCreationOptions.DenyChildAttach).Start(this);

    private Task? TryTake()
    {
        lock (this)
        {
            var task = _next;
            _next = null;
            if (task is null)
            {
                _isScheduled = false;
            }
            else if (_later is not null)
            {
                _next = _later.Dequeue();
                if (_later.Count == 0)
                {
                    Spare<Queue<Task>>.Give(_later, isSmall: _later.Capacity <= MaxSpare);
                    _later = null;
                }
            }

            return task;
        }
    }

    private bool HasMore()
    {
        lock (this)
        {
            return _isScheduled = _next is not null;
        }
    }
}
