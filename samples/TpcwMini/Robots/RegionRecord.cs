using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>What the robots of one region did and saw. Safe to write from any thread; nothing here waits.</summary>
internal sealed class RegionRecord
{
    private const int MaxErrorSamples = 5;
    private readonly Lock _lock = new();
    private readonly RunClock _clock;
    private readonly List<ConfirmedOrder> _confirmed = [];
    private readonly Dictionary<string, long> _errorSamples = [];
    private readonly LatencyHistogram[] _latencies = [.. Enum.GetValues<StepKind>().Select(_ => new LatencyHistogram())];
    private readonly long[] _inTimePerSecond;
    private readonly long[] _callsPerSecond;
    private readonly long[] _failedPerSecond;
    private long _stepsCompleted;
    private long _stepsInTime;
    private long _stepsEver;
    private long _stepsEverInTime;
    private long _workflowsCompleted;
    private long _workflowsAborted;
    private long _errors;
    private long _interrupted;

    public RegionRecord(string cluster, RunClock clock)
    {
        (Cluster, _clock) = (cluster, clock);
        _inTimePerSecond = new long[(int)Math.Ceiling(clock.Whole.TotalSeconds)];
        _callsPerSecond = new long[_inTimePerSecond.Length];
        _failedPerSecond = new long[_inTimePerSecond.Length];
    }

    public string Cluster { get; }

    public long StepsCompleted => Interlocked.Read(ref _stepsCompleted);

    public long StepsInTime => Interlocked.Read(ref _stepsInTime);

    /// <summary>Steps ended since the robots started, warm-up included.</summary>
    public long StepsEver => Interlocked.Read(ref _stepsEver);

    /// <summary>Steps ended in time since the robots started, warm-up included.</summary>
    public long StepsEverInTime => Interlocked.Read(ref _stepsEverInTime);

    public long WorkflowsCompleted => Interlocked.Read(ref _workflowsCompleted);

    public long WorkflowsAborted => Interlocked.Read(ref _workflowsAborted);

    /// <summary>Calls that failed without a reason asked for; warm-up included, because no failure is fine.</summary>
    public long Errors => Interlocked.Read(ref _errors);

    /// <summary>Calls cut off by the kill or cut that was asked for.</summary>
    public long Interrupted => Interlocked.Read(ref _interrupted);

    /// <summary>Latencies of every step since the robots started, for the live view.</summary>
    public LatencyHistogram LatenciesEver { get; } = new();

    /// <summary>Steps that ended in time, for each second since the robots started.</summary>
    public IReadOnlyList<long> InTimePerSecond => _inTimePerSecond;

    /// <summary>Calls that ended, in time, late or with an error, for each second since the robots started.</summary>
    public IReadOnlyList<long> CallsPerSecond => _callsPerSecond;

    /// <summary>Those of them that ended with an error, for each second since the robots started.</summary>
    public IReadOnlyList<long> FailedPerSecond => _failedPerSecond;

    /// <summary>Measured latencies of one step.</summary>
    public LatencyHistogram Latencies(StepKind step) => _latencies[(int)step];

    public void StepEnded(StepKind step, TimeSpan latency)
    {
        var now = _clock.Now;
        var inTime = latency < Defaults.InTime;
        Interlocked.Increment(ref _stepsEver);
        LatenciesEver.Record(latency);
        Count(_callsPerSecond, now);
        if (inTime)
        {
            Interlocked.Increment(ref _stepsEverInTime);
            Count(_inTimePerSecond, now);
        }

        if (_clock.IsMeasured(now))
        {
            Interlocked.Increment(ref _stepsCompleted);
            _latencies[(int)step].Record(latency);
            if (inTime)
            {
                Interlocked.Increment(ref _stepsInTime);
            }
        }
    }

    public void OrderConfirmed(ConfirmedOrder order)
    {
        lock (_lock)
        {
            _confirmed.Add(order);
        }

        if (_clock.IsMeasured(_clock.Now))
        {
            Interlocked.Increment(ref _workflowsCompleted);
        }
    }

    public void WorkflowAborted()
    {
        if (_clock.IsMeasured(_clock.Now))
        {
            Interlocked.Increment(ref _workflowsAborted);
        }
    }

    public void CallInterrupted()
    {
        Interlocked.Increment(ref _interrupted);
        CountFailed();
    }

    public void CallFailed(StepKind step, Exception error) => ErrorSeen($"{step}: {error.GetType().Name}: {error.Message}");

    /// <summary>A cart without its workflow, or an item that is not on sale although it was stocked.</summary>
    public void StateVanished(StepKind step, StepOutcome outcome) => ErrorSeen($"{step}: {outcome}");

    /// <summary>The first few different errors, with how often each was seen.</summary>
    public IReadOnlyList<string> ErrorSamples()
    {
        lock (_lock)
        {
            return [.. _errorSamples.Select(sample => $"{Cluster} {sample.Value} x {sample.Key}")];
        }
    }

    /// <summary>Everything confirmed to the robots, warm-up included.</summary>
    public IReadOnlyList<ConfirmedOrder> ConfirmedOrders()
    {
        lock (_lock)
        {
            return [.. _confirmed];
        }
    }

    private void CountFailed()
    {
        var now = _clock.Now;
        Count(_callsPerSecond, now);
        Count(_failedPerSecond, now);
    }

    private static void Count(long[] perSecond, TimeSpan now)
    {
        if ((int)now.TotalSeconds < perSecond.Length)
        {
            Interlocked.Increment(ref perSecond[(int)now.TotalSeconds]);
        }
    }

    private void ErrorSeen(string sample)
    {
        Interlocked.Increment(ref _errors);
        CountFailed();
        lock (_lock)
        {
            if (_errorSamples.TryGetValue(sample, out var seen) || _errorSamples.Count < MaxErrorSamples)
            {
                _errorSamples[sample] = seen + 1;
            }
        }
    }
}
