namespace Geo.Testing;

/// <summary>
/// One process of a simulation, such as a silo: a <see cref="TaskScheduler"/> whose steps all run on the one thread of its
/// <see cref="SimulationScheduler"/>. What is awaited on a lane goes on on that lane. Halting it is a crash: nothing of it runs again.
/// </summary>
public sealed class SimulationLane : TaskScheduler
{
    [ThreadStatic]
    private static SimulationLane? _running;

    private readonly SimulationScheduler _scheduler;
    private readonly SimulationLane? _parent;
    private bool _halted;
    private bool _frozen;

    internal SimulationLane(SimulationScheduler scheduler, string name, SimulationLane? parent) =>
        (_scheduler, Name, _parent) = (scheduler, name, parent);

    /// <summary>The name that the trace shows.</summary>
    public string Name { get; }

    /// <summary>True after <see cref="Halt"/>, here or on the lane of which this one is a part.</summary>
    public bool IsHalted => _halted || _parent is { IsHalted: true };

    /// <summary>True between <see cref="Freeze"/> and <see cref="Thaw"/>, here or on the lane of which this one is a part.</summary>
    public bool IsFrozen => _frozen || _parent is { IsFrozen: true };

    /// <inheritdoc/>
    public override int MaximumConcurrencyLevel => 1;

    /// <summary>
    /// The lane whose step runs on this thread; null outside of steps. Not the same as the current task scheduler: a host's own scheduler
    /// may run within a step.
    /// </summary>
    internal static SimulationLane? Running => _running;

    /// <summary>The lane of which this one is a part, or itself.</summary>
    internal SimulationLane Process => _parent?.Process ?? this;

    /// <summary>The silo one life of which this lane is; null for any other process, and for parts.</summary>
    internal SimulatedSilo? Silo { get; init; }

    internal Queue<Task> Ready { get; } = new();

    /// <summary>
    /// Stops the lane where it stands, as a crash does: its ready steps, its timers and whatever it awaits never run again,
    /// <c>finally</c> blocks included. The step that calls this on its own lane still ends.
    /// </summary>
    public void Halt() => _halted = true;

    /// <summary>
    /// Lets the lane stand still, as a paused process does: what falls due and what arrives waits for <see cref="Thaw"/>.
    /// </summary>
    public void Freeze() => _frozen = true;

    /// <summary>Lets a frozen lane go on with all that has gathered, in its order.</summary>
    public void Thaw()
    {
        _frozen = false;
        _scheduler.ReleaseThawed();
    }

    /// <summary>
    /// Creates a lane that is part of this one, such as a grain's turns in a silo: its steps interleave with the others, and halt with
    /// them.
    /// </summary>
    public SimulationLane CreatePart(string name) => new(_scheduler, name, this);

    /// <summary>Queues an action as one step of this lane.</summary>
    public void Post(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this);

    /// <summary>
    /// Starts an asynchronous function as a step of this lane; the returned task ends with it, never if the lane is halted.
    /// </summary>
    public Task RunAsync(Func<Task> function) => StartAsync(function);

    /// <summary>
    /// Starts an asynchronous function as a step of this lane; the returned task ends with it, never if the lane is halted.
    /// </summary>
    public Task<T> RunAsync<T>(Func<Task<T>> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    /// <inheritdoc/>
    public override string ToString() => Name;

    internal void Execute(Task step)
    {
        _running = this;
        TryExecuteTask(step);
        _running = null;
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task)
    {
        if (!IsHalted)
        {
            _scheduler.Enqueue(this, task);
        }
    }

    /// <summary>Never inline: every continuation is a step of its own, so that the scheduler may put another one before it.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => [.. Ready];

    private Task StartAsync(Func<Task> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();
}
