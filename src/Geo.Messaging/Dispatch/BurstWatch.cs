namespace Geo.Messaging;

/// <summary>
/// Makes the bursts of a node and looks after them: when one piece of users' code holds a burst up, what it holds back is let go. Costs a
/// timer only while there are bursts.
/// </summary>
internal sealed class BurstWatch : IDisposable
{
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(5);

    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private readonly List<Burst> _running = [];
    private readonly List<Burst> _stuck = [];
    private readonly Stack<Burst> _spare = new();
    private bool _looks;

    public BurstWatch(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(static state => ((BurstWatch)state!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public Burst Begin(Action? stuck = null)
    {
        Burst? burst;
        lock (_lock)
        {
            burst = _spare.TryPop(out var spare) ? spare : new Burst(_time);
            _running.Add(burst);
            if (!_looks)
            {
                _looks = true;
                _timer.Change(Period, Period);
            }
        }

        burst.Begin(stuck);
        return burst;
    }

    public void End(Burst burst)
    {
        burst.End();
        lock (_lock)
        {
            _running.Remove(burst);
            _spare.Push(burst);
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        lock (_lock)
        {
            if (_running.Count == 0)
            {
                _looks = false;
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                return;
            }

            _stuck.Clear();
            foreach (var burst in _running)
            {
                var steps = burst.Steps;
                if (steps == burst.SeenSteps)
                {
                    _stuck.Add(burst);
                }

                burst.SeenSteps = steps;
            }

            // A burst that has ended meanwhile, even one that has begun anew, loses nothing but a gathering.
            foreach (var burst in _stuck)
            {
                burst.Release();
            }
        }
    }
}
