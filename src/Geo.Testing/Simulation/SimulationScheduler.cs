using System.Globalization;

namespace Geo.Testing;

/// <summary>
/// Runs asynchronous code on one thread in virtual time, in an order that is the same in every run: ready steps first, and when none is
/// ready, the next timer. Everything awaited inside stays inside; work that escapes to another thread makes the run fail and says how it
/// escaped.
/// </summary>
/// <remarks>
/// A step is what runs between two awaits. Known ways to escape: <c>Task.Run</c>, <c>ConfigureAwait(false)</c>, <c>Task.Delay</c> without
/// the time provider, <c>SemaphoreSlim.WaitAsync</c> with a token or a time-out, <c>CancelAsync</c>, and <c>Task.WhenAll</c>,
/// <c>Task.WhenAny</c> or <c>WaitAsync</c> directly over the task of a <see cref="TaskCompletionSource"/> that runs continuations
/// asynchronously (await it in an async method first).
/// </remarks>
public sealed class SimulationScheduler
{
    // How many taken steps wait at the front of the list before it is packed.
    private const int MaxTaken = 4096;

    // One entry for each ready step; the step itself waits in its lane's own queue, so that a lane's steps keep their order.
    private readonly List<SimulationLane> _ready = [];
    private readonly List<SimulationLane> _frozen = [];
    private readonly EscapeGuard _guard = new();
    private readonly ChoiceTape? _order;
    private readonly int _maxSteps;
    private int _head;

    /// <summary>Creates a scheduler with one lane, <see cref="Root"/>.</summary>
    /// <param name="time">The clock that is advanced whenever no step is ready; a new one when null.</param>
    /// <param name="order">
    /// Chooses whose step runs next: steps of one lane always run first in, first out, those of different lanes in the order chosen. When
    /// null, all steps run first in, first out.
    /// </param>
    /// <param name="maxSteps">How many steps a scheduler runs before it gives up; 1,000,000 by default.</param>
    public SimulationScheduler(VirtualTime? time = null, ChoiceTape? order = null, int maxSteps = 1_000_000)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSteps);
        Time = time ?? new VirtualTime();
        Time.BeforeArming = () => _guard.IsInside("a timer was set");
        _order = order;
        _maxSteps = maxSteps;
        Root = CreateLane("root");
    }

    /// <summary>The clock of this simulation.</summary>
    public VirtualTime Time { get; }

    /// <summary>The lane on which <see cref="Run(Func{Task})"/> starts.</summary>
    public SimulationLane Root { get; }

    /// <summary>How many steps have run.</summary>
    public long Steps { get; private set; }

    /// <summary>Called before each step, on the simulation's thread.</summary>
    public Action<SimulationLane>? BeforeStep { get; set; }

    /// <summary>Called after each step, on the simulation's thread: the place for invariants. An exception ends the run.</summary>
    public Action<SimulationLane>? AfterStep { get; set; }

    /// <summary>
    /// True when a run that fails waits a moment for work that may have escaped; where failures are made shorter it costs too much.
    /// </summary>
    internal bool AwaitsCause { get; init; } = true;

    /// <summary>Creates a lane: one process of the simulation.</summary>
    public SimulationLane CreateLane(string name) => new(this, name, parent: null);

    /// <summary>Creates the lane of one life of a silo.</summary>
    internal SimulationLane CreateLane(string name, SimulatedSilo silo) => new(this, name, parent: null) { Silo = silo };

    /// <summary>
    /// Runs a function, and all that it starts, until the function's task has ended; advances the time whenever nothing is ready.
    /// </summary>
    /// <exception cref="SimulationException">
    /// The step budget is used up, nothing is ready and no timer is set, or work has escaped to another thread.
    /// </exception>
    public void Run(Func<Task> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (_guard.IsActive)
        {
            throw new InvalidOperationException("This simulation is running already; await inside of it instead of running it again.");
        }

        using (_guard.Enter())
        {
            Task? body = null;
            Root.Post(() => body = Start(function));
            while (body is not { IsCompleted: true })
            {
                RunOneStep();
            }

            _guard.AwaitPool();
            if (body.IsFaulted && AwaitsCause)
            {
                _guard.AwaitCauseOfFailure();
            }

            body.GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc cref="Run(Func{Task})"/>
    /// <returns>The function's result.</returns>
    public T Run<T>(Func<Task<T>> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        var result = default(T)!;
        Run(async () => { result = await function(); });
        return result;
    }

    internal void Enqueue(SimulationLane lane, Task step)
    {
        if (_guard.IsInside($"a step of lane '{lane.Name}' was queued"))
        {
            lane.Ready.Enqueue(step);
            _ready.Add(lane);
        }
    }

    /// <summary>Steps of lanes that were frozen when their turn came may run if they no longer are.</summary>
    internal void ReleaseThawed()
    {
        _ready.AddRange(_frozen.FindAll(lane => !lane.IsFrozen));
        _frozen.RemoveAll(lane => !lane.IsFrozen);
    }

    private static Task Start(Func<Task> function)
    {
        try
        {
            return function();
        }
        catch (Exception e)
        {
            return Task.FromException(e);
        }
    }

    private void RunOneStep()
    {
        _guard.ThrowIfEscaped();
        if (_head == _ready.Count)
        {
            _guard.AwaitPool();
            if (!Time.AdvanceToNextTimer())
            {
                _guard.AwaitEscape();
                throw new SimulationException(
                    $"After {Steps} steps, at {Elapsed()}, nothing is ready and no timer is set, yet the run has not ended: "
                    + "something awaits what nobody will complete, or what lies outside the simulation.");
            }

            return;
        }

        var lane = TakeNext();
        if (lane.IsFrozen && !lane.IsHalted)
        {
            _frozen.Add(lane);
            return;
        }

        var step = lane.Ready.Dequeue();
        if (lane.IsHalted)
        {
            return;
        }

        if (++Steps > _maxSteps)
        {
            if (AwaitsCause)
            {
                _guard.AwaitCauseOfNoEnd();
            }

            throw new SimulationException(
                $"The run has not ended after {_maxSteps} steps, at {Elapsed()}: it makes no progress, or needs a larger budget.");
        }

        BeforeStep?.Invoke(lane);
        _guard.StepBegins(lane.Name);
        lane.Execute(step);
        _guard.StepEnded();
        AfterStep?.Invoke(lane);
    }

    private SimulationLane TakeNext()
    {
        if (_order is not null && _ready.Count - _head > 1)
        {
            var chosen = _head + _order.Next(_ready.Count - _head);
            (_ready[_head], _ready[chosen]) = (_ready[chosen], _ready[_head]);
        }

        var lane = _ready[_head++];
        if (_head == _ready.Count || _head == MaxTaken)
        {
            _ready.RemoveRange(0, _head);
            _head = 0;
        }

        return lane;
    }

    private string Elapsed() => Time.Elapsed.ToString("c", CultureInfo.InvariantCulture);
}
