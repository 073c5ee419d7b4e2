namespace Geo.Testing;

/// <summary>
/// Finds work that has left the thread of its simulation, in two ways. A value that flows with every await and every queued work item tells
/// of any other thread on which it appears. And because a timer is nearly always set, so that virtual time would race past what has left,
/// the pool is given the time to show it whenever its counters have moved: before time advances, and at the end.
/// </summary>
/// <remarks>
/// Not found: what neither carries the execution context nor comes back to a lane, such as an item that is queued unsafely and not awaited;
/// and now and then what is not awaited and lies between the queue and its first instruction whenever the guard looks. Other work of the
/// process moves the counters, too; that costs time only.
/// </remarks>
internal sealed class EscapeGuard
{
    // How long the pool may take to show what it has: a moment, unless all its threads are taken. The waits are on tasks, because then the
    // pool adds threads.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    // How long a run whose own code failed waits for what may have left it to come back: failures are many where mutations are looked for.
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(500);

    private const int RememberedSteps = 8;

    private static readonly AsyncLocal<EscapeGuard?> Inside = new(OnContextChanged);

    private readonly string?[] _lastSteps = new string?[RememberedSteps];
    private readonly TaskCompletionSource _seen = new();
    private ExecutionContext? _ambient;
    private volatile int _thread;
    private string? _escape;
    private long _steps;
    private long _poolSeen;

    /// <summary>True while the simulation runs.</summary>
    public bool IsActive => _thread != 0;

    /// <summary>The calling thread is the simulation's from here on.</summary>
    /// <returns>Ends it.</returns>
    public IDisposable Enter()
    {
        var entered = new Entered(this, Inside.Value, SynchronizationContext.Current);
        SynchronizationContext.SetSynchronizationContext(null);
        _thread = Environment.CurrentManagedThreadId;
        Inside.Value = this;
        _ambient = ExecutionContext.Capture();
        _poolSeen = PoolWork();
        return entered;
    }

    /// <summary>False, and the run fails, when the caller is not on the simulation's thread.</summary>
    public bool IsInside(string what)
    {
        if (_thread == 0 || Environment.CurrentManagedThreadId == _thread)
        {
            return true;
        }

        Report(what);
        return false;
    }

    /// <summary>A step of a lane begins: remembered, to be told when something has escaped.</summary>
    public void StepBegins(string lane) => _lastSteps[_steps++ % RememberedSteps] = lane;

    /// <summary>A step has ended: what it has set in the thread's execution context, past all awaits, is not for the next one.</summary>
    public void StepEnded()
    {
        if (_ambient is { } ambient)
        {
            ExecutionContext.Restore(ambient);
        }
    }

    /// <summary>If the pool has had anything to do since the last time, waits until it has begun all of it.</summary>
    /// <exception cref="SimulationException">Something has escaped.</exception>
    public void AwaitPool()
    {
        if (PoolWork() != _poolSeen)
        {
            var completed = ThreadPool.CompletedWorkItemCount;
            var ran = new TaskCompletionSource();

            // Behind all that this thread has queued: into the same queue.
            ThreadPool.UnsafeQueueUserWorkItem(static ran => ran.TrySetResult(), ran, preferLocal: true);
            ran.Task.Wait(Grace);

            // The sentinel itself counts as soon as it has ended, and must not call for another one.
            var spin = new SpinWait();
            while (ThreadPool.CompletedWorkItemCount == completed && spin.Count < 1000)
            {
                spin.SpinOnce(sleep1Threshold: -1);
            }

            _poolSeen = PoolWork();
        }

        ThrowIfEscaped();
    }

    /// <summary>
    /// Nothing is ready and no timer is set: either something has escaped and shows in a moment, or nothing will ever happen.
    /// </summary>
    /// <exception cref="SimulationException">Something has escaped.</exception>
    public void AwaitEscape()
    {
        _seen.Task.Wait(Grace);
        ThrowIfEscaped();
    }

    /// <summary>
    /// The run's own code has failed: perhaps for want of what a thread of the pool has and has not begun, while virtual time ran out.
    /// </summary>
    /// <exception cref="SimulationException">Something has escaped.</exception>
    public void AwaitCauseOfFailure() => AwaitCause(Moment);

    /// <summary>The steps are used up: perhaps because virtual time ran on while a thread of the pool had what the run awaits.</summary>
    /// <exception cref="SimulationException">Something has escaped.</exception>
    public void AwaitCauseOfNoEnd() => AwaitCause(Grace);

    /// <exception cref="SimulationException">Something has escaped.</exception>
    public void ThrowIfEscaped()
    {
        if (Volatile.Read(ref _escape) is { } escape)
        {
            throw new SimulationException(escape);
        }
    }

    private static long PoolWork() => ThreadPool.CompletedWorkItemCount + ThreadPool.PendingWorkItemCount;

    private static void OnContextChanged(AsyncLocalValueChangedArgs<EscapeGuard?> change)
    {
        if (change is { ThreadContextChanged: true, CurrentValue: { } guard })
        {
            guard.IsInside("its context appeared");
        }
    }

    private void AwaitCause(TimeSpan most)
    {
        ThreadPool.GetMaxThreads(out var threads, out _);
        ThreadPool.GetAvailableThreads(out var free, out _);
        if (threads - free > (Thread.CurrentThread.IsThreadPoolThread ? 1 : 0) || ThreadPool.PendingWorkItemCount > 0)
        {
            _seen.Task.Wait(most);
        }

        ThrowIfEscaped();
    }

    private void Report(string what)
    {
        var steps = string.Join(
            ", ", Enumerable.Range(0, RememberedSteps).Select(i => _lastSteps[(_steps + i) % RememberedSteps]).OfType<string>());
        Interlocked.CompareExchange(
            ref _escape,
            $"Work has escaped the simulation's thread: {what} on another one, so that a replay would differ. Likely "
            + "ConfigureAwait(false), "
            + $"Task.Run, or a wait without the simulation's clock, in one of the last steps, the latest last: {steps}. It came by:"
            + Environment.NewLine + Environment.StackTrace,
            null);
        _seen.TrySetResult();
    }

    private sealed class Entered(EscapeGuard guard, EscapeGuard? outer, SynchronizationContext? context) : IDisposable
    {
        public void Dispose()
        {
            guard._thread = 0;
            Inside.Value = outer;
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }
}
