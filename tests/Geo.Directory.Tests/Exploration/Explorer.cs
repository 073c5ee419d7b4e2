namespace Geo.Directory.Tests;

/// <summary>Visits every reachable state of a model, breadth first, so that a violation comes with a shortest way to it.</summary>
internal sealed class Explorer(GsiModel model)
{
    private readonly List<ulong> _states = [];
    private readonly List<int> _reachedFrom = [];
    private readonly Dictionary<ulong, int> _numbers = [];

    /// <summary>How many states were visited.</summary>
    public int Count => _states.Count;

    /// <summary>Visits the states until one does not hold.</summary>
    /// <param name="holds">Whether a state is as it should be.</param>
    /// <param name="mayFollow">Whether a step from one state to another is as it should be; any is, by default.</param>
    /// <returns>The way to the first violation; null when all states are visited.</returns>
    public IReadOnlyList<string>? Explore(Func<ulong, bool> holds, Func<ulong, ulong, bool>? mayFollow = null)
    {
        var successors = new List<ulong>(model.Initial());
        for (var from = -1; from < _states.Count; from++)
        {
            var before = from < 0 ? ulong.MaxValue : _states[from];
            if (from >= 0)
            {
                successors.Clear();
                model.Successors(before, successors);
            }

            foreach (var state in successors)
            {
                if (from >= 0 && mayFollow?.Invoke(before, state) == false)
                {
                    return [.. WayTo(from), model.Describe(state)];
                }

                if (state != before && _numbers.TryAdd(state, _states.Count))
                {
                    _states.Add(state);
                    _reachedFrom.Add(from);
                    if (!holds(state))
                    {
                        return WayTo(_states.Count - 1);
                    }
                }
            }
        }

        return null;
    }

    /// <summary>After an exploration: a state from which no way leads to a goal; null when there is a way from all.</summary>
    public string? Stuck(Func<ulong, bool> isGoal)
    {
        var good = _states.ConvertAll(s => isGoal(s));
        var successors = new List<ulong>();
        for (var changed = true; changed;)
        {
            changed = false;
            for (var i = _states.Count - 1; i >= 0; i--)
            {
                if (!good[i])
                {
                    successors.Clear();
                    model.Successors(_states[i], successors);
                    changed |= good[i] = successors.Exists(s => good[_numbers[s]]);
                }
            }
        }

        var stuck = good.IndexOf(false);
        return stuck < 0 ? null : model.Describe(_states[stuck]);
    }

    private List<string> WayTo(int number)
    {
        var way = new List<string>();
        for (; number >= 0; number = _reachedFrom[number])
        {
            way.Insert(0, model.Describe(_states[number]));
        }

        return way;
    }
}
