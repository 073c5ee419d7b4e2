namespace Geo.Experiments.Soak.Shop;

/// <summary>What was seen in a run.</summary>
/// <param name="say">Told of each of the first violations at once.</param>
internal sealed class SoakTally(Action<string>? say = null)
{
    private const int MostViolations = 25;

    private readonly Lock _lock = new();
    private readonly List<string> _violations = [];
    private readonly SortedDictionary<string, int> _repeats = new(StringComparer.Ordinal);

    /// <summary>Orders carried out.</summary>
    public long Confirmed { get; private set; }

    /// <summary>Orders that found too little.</summary>
    public long Refused { get; private set; }

    /// <summary>Supplies brought.</summary>
    public long Supplies { get; private set; }

    /// <summary>Books looked at while customers ordered.</summary>
    public long Audits { get; private set; }

    /// <summary>Books compared at the end: an article read through a region.</summary>
    public int Comparisons { get; private set; }

    /// <summary>Starts of processes that failed and were tried again.</summary>
    public int FailedStarts { get; private set; }

    /// <summary>Why the last of them failed.</summary>
    public string? LastFailedStart { get; private set; }

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
                return new SortedDictionary<string, int>(_repeats, StringComparer.Ordinal);
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

    /// <summary>
    /// An attempt failed. What a fault can be the reason of may come; an exception of any other kind is a violation, the first time.
    /// </summary>
    public void Repeated(Exception error)
    {
        bool isNew;
        var name = error.GetType().Name;
        lock (_lock)
        {
            var times = _repeats[name] = _repeats.GetValueOrDefault(name) + 1;
            isNew = times == 1;
        }

        if (isNew && (error is not GeoException || error is GeoConfigurationException or GeoSerializationException))
        {
            Violated($"no fault is the reason of a {name}: {error.Message}");
        }
    }

    public void Waited(TimeSpan time)
    {
        lock (_lock)
        {
            LongestWait = time > LongestWait ? time : LongestWait;
        }
    }

    public void Audited()
    {
        lock (_lock)
        {
            Audits++;
        }
    }

    public void Compared()
    {
        lock (_lock)
        {
            Comparisons++;
        }
    }

    public void StartFailed(string why)
    {
        lock (_lock)
        {
            (FailedStarts, LastFailedStart) = (FailedStarts + 1, why);
        }
    }

    public void Violated(string what)
    {
        lock (_lock)
        {
            ViolationCount++;
            if (_violations.Count >= MostViolations)
            {
                return;
            }

            _violations.Add(what);
        }

        say?.Invoke($"VIOLATION: {what}");
    }
}
