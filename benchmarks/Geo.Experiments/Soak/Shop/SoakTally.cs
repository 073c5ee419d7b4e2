namespace Geo.Experiments.Soak.Shop;

/// <summary>What all customers saw.</summary>
internal sealed class SoakTally
{
    private const int MostViolations = 10;

    private readonly Lock _lock = new();
    private readonly List<string> _violations = [];
    private readonly SortedDictionary<string, int> _repeats = [];

    /// <summary>Orders carried out.</summary>
    public long Confirmed { get; private set; }

    /// <summary>Orders that found too little.</summary>
    public long Refused { get; private set; }

    /// <summary>Supplies brought.</summary>
    public long Supplies { get; private set; }

    /// <summary>The longest time from an order's first attempt to its decision.</summary>
    public TimeSpan LongestWait { get; private set; }

    /// <summary>How many violations there were.</summary>
    public int ViolationCount { get; private set; }

    /// <summary>The first of them.</summary>
    public IReadOnlyList<string> Violations
    {
        get
        {
            lock (_lock)
            {
                return [.. _violations];
            }
        }
    }

    /// <summary>How many attempts ended in which exception.</summary>
    public IReadOnlyDictionary<string, int> Repeats
    {
        get
        {
            lock (_lock)
            {
                return new SortedDictionary<string, int>(_repeats);
            }
        }
    }

    public void Decided(Order order, bool isDone)
    {
        lock (_lock)
        {
            (Confirmed, Refused, Supplies) = (order.IsSupply, isDone) switch
            {
                (true, _) => (Confirmed, Refused, Supplies + 1),
                (_, true) => (Confirmed + 1, Refused, Supplies),
                _ => (Confirmed, Refused + 1, Supplies),
            };
        }
    }

    public void Repeated(GeoException error)
    {
        lock (_lock)
        {
            var name = error.GetType().Name;
            _repeats[name] = _repeats.GetValueOrDefault(name) + 1;
        }
    }

    public void Waited(TimeSpan time)
    {
        lock (_lock)
        {
            LongestWait = time > LongestWait ? time : LongestWait;
        }
    }

    public void Violated(string what)
    {
        lock (_lock)
        {
            ViolationCount++;
            if (_violations.Count < MostViolations)
            {
                _violations.Add(what);
            }
        }
    }
}
