namespace Geo.Consistency.Lattices;

/// <summary>
/// A silo's replicas of its coordination-free grains, one for each group that its classes' grains are of. Thread-safe.
/// </summary>
internal sealed class LatticeReplicas : ILatticeSessions, IDisposable
{
    private readonly LatticePlacement _placement;
    private readonly Dictionary<string, LatticeClass> _classes = new(StringComparer.Ordinal);
    private readonly Dictionary<LatticeGroup, LatticeExchange> _exchanges = [];
    private readonly HashSet<LatticeClass> _stored = [];
    private readonly LatticeHeat? _heat;

    /// <summary>Makes replicas that have nothing yet.</summary>
    /// <param name="classes">The silo's classes, with what keeps their states; null for memory alone.</param>
    /// <param name="placement">Says which groups the cluster has; the replicas of the others have nothing.</param>
    /// <param name="create">Makes the replica of a group.</param>
    /// <param name="heat">Whether, and by what clock, the cluster takes replicas of what is hot here; null for not.</param>
    internal LatticeReplicas(
        IEnumerable<(LatticeClass Class, IConditionalStore? Store)> classes, LatticePlacement placement,
        Func<LatticeGroup, LatticeExchange> create, (LatticeOptions Options, TimeProvider Time)? heat = null)
    {
        _placement = placement;
        _heat = heat is { Options.HotRate: > 0 } with && !placement.IsLeaving
            ? new(with.Options, with.Time, part => _exchanges[part])
            : null;

        foreach (var (latticeClass, store) in classes.OrderBy(c => c.Class.Name, StringComparer.Ordinal))
        {
            _classes.Add(latticeClass.Name, latticeClass);
            if (store is not null)
            {
                _stored.Add(latticeClass);
            }

            foreach (var group in latticeClass.Groups)
            {
                if (!_exchanges.TryGetValue(group, out var exchange))
                {
                    _exchanges.Add(group, exchange = create(group));
                }

                exchange.Add(latticeClass, store);
            }
        }
    }

    /// <summary>The replica of a group; null where no class is of it.</summary>
    internal LatticeExchange? this[LatticeGroup group] => _exchanges.GetValueOrDefault(group);

    /// <summary>The replicas.</summary>
    internal IEnumerable<LatticeExchange> Exchanges => _exchanges.Values;

    /// <summary>What other clusters have not acknowledged, by class and cluster.</summary>
    internal IEnumerable<ReplicationLag> Lags() => LatticeLag.Sum(_exchanges.Values.Select(e => e.Lags()))
        .Select(l => new ReplicationLag(l.Cluster, l.GrainClass, l.Grains, l.Lag));

    /// <summary>True where calls may make a grain hot here, so that it may get or lose a replica in this cluster.</summary>
    internal bool HasHeat => _heat is not null;

    /// <summary>True where calls of a grain are served in this cluster.</summary>
    internal bool IsHere(GrainKey grain) => IsHere(ClassOf(grain).GroupOf(grain));

    /// <summary>The same, for a call that is made in this cluster.</summary>
    internal bool IsCalledHere(GrainKey grain)
    {
        var latticeClass = ClassOf(grain);
        var group = latticeClass.GroupOf(grain);
        if (_placement.IsHere(group))
        {
            return true;
        }

        // A store keeps the states of holders alone, and rights that a guest has nobody else may use.
        if (_heat is not null && !latticeClass.HasRights && !_stored.Contains(latticeClass))
        {
            _heat.Note(grain, group);
        }

        return ServesAsGuest(group);
    }

    /// <summary>The clusters that have a replica of a grain, those that are called first before the others.</summary>
    internal IReadOnlyList<ClusterId> HoldersOf(GrainKey grain) => _placement.HoldersOf(ClassOf(grain).GroupOf(grain));

    /// <summary>Begins to talk to the other clusters.</summary>
    internal void Start()
    {
        foreach (var exchange in _exchanges.Values)
        {
            exchange.Start();
        }
    }

    /// <inheritdoc cref="LatticeExchange.Open"/>
    /// <exception cref="GeoUnavailableException">Other clusters have replicas of the grain, this one has none.</exception>
    internal LatticeHandle<T> Open<T>(GrainKey grain)
        where T : ILattice<T> => For(grain).Open<T>(grain);

    /// <summary>The replica that has a grain.</summary>
    /// <exception cref="GeoUnavailableException">Other clusters have replicas of the grain, this one has none.</exception>
    internal LatticeExchange For(GrainKey grain) =>
        ClassOf(grain).GroupOf(grain) is var group && (_placement.IsHere(group) || (HasHeat && _exchanges[group].HasVisited))
            ? _exchanges[group]
            : throw NotHere(grain);

    /// <inheritdoc/>
    public ILatticeSession Open(
        ConsistencyLevel level, SessionToken? continues = null, SessionMiss onMiss = SessionMiss.Wait, TimeSpan? wait = null) =>
        new LatticeSession(
            this, level, continues ?? SessionToken.None, onMiss == SessionMiss.Throw ? null : wait ?? TimeSpan.FromSeconds(10));

    /// <inheritdoc cref="LatticeExchange.LeaveAsync"/>
    internal Task LeaveAsync(CancellationToken cancellationToken)
    {
        _heat?.Dispose();
        return Task.WhenAll(_exchanges.Values.Select(e => e.LeaveAsync(cancellationToken)));
    }

    /// <summary>Where a grain of a class that allows a level is.</summary>
    /// <exception cref="GeoConfigurationException">
    /// The silo has no such class, or it does not allow the level, or has replicas in some clusters only.
    /// </exception>
    internal LatticeExchange For(GrainKey grain, ConsistencyLevel level)
    {
        var latticeClass = ClassOf(grain);
        if (latticeClass.Replicas > 0)
        {
            throw new GeoConfigurationException(
                $"A session cannot touch {grain}: its class has Replicas = {latticeClass.Replicas}, so that this cluster may have none. "
                + "Call the grain.");
        }

        return latticeClass.Level.Includes(level) ? For(grain) : throw new GeoConfigurationException(
            $"A session of level {level} cannot touch {grain}: its class has level {latticeClass.Level}, which does not include that. "
            + "Name the level at the class: [CoordinationFree(Level = ...)].");
    }

    public void Dispose()
    {
        _heat?.Dispose();
        foreach (var exchange in _exchanges.Values)
        {
            exchange.Dispose();
        }
    }

    private bool IsHere(LatticeGroup group) => _placement.IsHere(group) || ServesAsGuest(group);

    private bool ServesAsGuest(LatticeGroup group) => HasHeat && _exchanges[group].ServesAsGuest;

    private LatticeClass ClassOf(GrainKey grain) =>
        _classes.TryGetValue(grain.Type, out var found) ? found : throw new GeoConfigurationException(
            $"This silo has no coordination-free grain class '{grain.Type}'.");

    private GeoUnavailableException NotHere(GrainKey grain) => new(
        $"{grain} has replicas in {string.Join(", ", HoldersOf(grain))} by the configuration of this silo, and none here. Where the "
        + "configurations of silos differ, one cluster was added or removed: it goes on once all have the same one.");
}
