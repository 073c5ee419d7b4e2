namespace Geo.Messaging;

/// <summary>
/// Makes the turns of a node and looks after them: when one piece of users' code holds a turn up, what it holds back is let go. Costs a
/// timer only while there are turns.
/// </summary>
internal sealed class TurnWatch : IDisposable
{
    /// <summary>How often it looks.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(5);

    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private readonly List<Turn> _running = [];
    private readonly List<Turn> _stuck = [];
    private readonly Stack<Turn> _spare = new();
    private bool _looks;

    public TurnWatch(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(static state => ((TurnWatch)state!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Begins a turn on this thread.</summary>
    /// <param name="stuck">Called, from another thread, when one piece of users' code holds the turn up.</param>
    public Turn Begin(Action? stuck = null)
    {
        Turn? turn;
        lock (_lock)
        {
            turn = _spare.TryPop(out var spare) ? spare : new Turn(_time);
            _running.Add(turn);
            if (!_looks)
            {
                _looks = true;
                _timer.Change(Period, Period);
            }
        }

        turn.Begin(stuck);
        return turn;
    }

    /// <summary>Ends a turn of this thread.</summary>
    public void End(Turn turn)
    {
        turn.End();
        lock (_lock)
        {
            _running.Remove(turn);
            _spare.Push(turn);
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
            foreach (var turn in _running)
            {
                var steps = turn.Steps;
                if (steps == turn.SeenSteps)
                {
                    _stuck.Add(turn);
                }

                turn.SeenSteps = steps;
            }

            // A turn that has ended meanwhile, even one that has begun anew, loses nothing but a gathering.
            foreach (var turn in _stuck)
            {
                turn.Release();
            }
        }
    }
}
