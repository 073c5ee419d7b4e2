namespace Geo.Consistency.Lattices;

/// <summary>A silo's replicas of its coordination-free grains, one for each domain that its classes are of. Thread-safe.</summary>
internal sealed class LatticeReplicas : ILatticeSessions, IDisposable
{
    private readonly Dictionary<string, (LatticeClass Class, LatticeExchange Exchange)> _classes = new(StringComparer.Ordinal);
    private readonly Dictionary<LatticeDomain, LatticeExchange> _exchanges = [];

    /// <summary>Makes replicas that have nothing yet.</summary>
    /// <param name="classes">The silo's classes, with what keeps their states; null for memory alone.</param>
    /// <param name="create">Makes the replica of a domain.</param>
    internal LatticeReplicas(
        IEnumerable<(LatticeClass Class, IConditionalStore? Store)> classes, Func<LatticeDomain, LatticeExchange> create)
    {
        foreach (var (latticeClass, store) in classes.OrderBy(c => c.Class.Name, StringComparer.Ordinal))
        {
            var domain = latticeClass.Level.Domain();
            if (!_exchanges.TryGetValue(domain, out var exchange))
            {
                _exchanges.Add(domain, exchange = create(domain));
            }

            exchange.Add(latticeClass, store);
            _classes.Add(latticeClass.Name, (latticeClass, exchange));
        }
    }

    /// <summary>The replica of a domain; null where no class is of it.</summary>
    internal LatticeExchange? this[LatticeDomain domain] => _exchanges.GetValueOrDefault(domain);

    /// <summary>What other clusters have not acknowledged, by class and cluster.</summary>
    internal IEnumerable<ReplicationLag> Lags() => _exchanges.Values.SelectMany(
        e => e.Lags().Select(l => new ReplicationLag(l.Cluster, l.GrainClass, l.Grains, l.Lag)));

    /// <summary>Begins to talk to the other clusters.</summary>
    internal void Start()
    {
        foreach (var exchange in _exchanges.Values)
        {
            exchange.Start();
        }
    }

    /// <inheritdoc cref="LatticeExchange.Open"/>
    internal LatticeHandle<T> Open<T>(GrainKey grain)
        where T : ILattice<T> => Find(grain).Exchange.Open<T>(grain);

    /// <inheritdoc/>
    public ILatticeSession Open(
        ConsistencyLevel level, SessionToken? continues = null, SessionMiss onMiss = SessionMiss.Wait, TimeSpan? wait = null) =>
        new LatticeSession(
            this, level, continues ?? SessionToken.None, onMiss == SessionMiss.Throw ? null : wait ?? TimeSpan.FromSeconds(10));

    /// <inheritdoc cref="LatticeExchange.LeaveAsync"/>
    internal Task LeaveAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(_exchanges.Values.Select(e => e.LeaveAsync(cancellationToken)));

    /// <summary>Where a grain of a class that allows a level is.</summary>
    /// <exception cref="GeoConfigurationException">The silo has no such class, or it does not allow the level.</exception>
    internal LatticeExchange For(GrainKey grain, ConsistencyLevel level)
    {
        var (latticeClass, exchange) = Find(grain);
        return latticeClass.Level.Includes(level) ? exchange : throw new GeoConfigurationException(
            $"A session of level {level} cannot touch {grain}: its class has level {latticeClass.Level}, which does not include that. "
            + "Name the level at the class: [CoordinationFree(Level = ...)].");
    }

    public void Dispose()
    {
        foreach (var exchange in _exchanges.Values)
        {
            exchange.Dispose();
        }
    }

    private (LatticeClass Class, LatticeExchange Exchange) Find(GrainKey grain) =>
        _classes.TryGetValue(grain.Type, out var found) ? found : throw new GeoConfigurationException(
            $"This silo has no coordination-free grain class '{grain.Type}'.");
}
