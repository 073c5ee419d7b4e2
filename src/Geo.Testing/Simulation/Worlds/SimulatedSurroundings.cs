using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// What one incarnation of a simulated silo takes in place of a process: its lane, its chance, the stores of its cluster.
/// </summary>
internal sealed class SimulatedSurroundings(SimulatedSilo silo, SimulationLane lane, Random random) : SiloSurroundings
{
    private readonly Dictionary<IThreadPoolWorkItem, SimulationLane> _turns = new(ReferenceEqualityComparer.Instance);

    public override bool KeepsContext => true;

    public override bool HasNetwork => false;

    /// <summary>It takes longer than all else that a failed call does.</summary>
    public override bool TellsStackTraces => silo.Cluster.World.Trace.IsKept;

    public override Random Random => random;

    /// <summary>The silo's clock.</summary>
    public TimeProvider Time => silo.Clock;

    public override string NewIncarnation() => lane.Name[(lane.Name.IndexOf('/', StringComparison.Ordinal) + 1)..];

    public override Task Start(Func<Task> start) => start();

    /// <summary>
    /// A part of the lane for each activation, so that the order between them is a choice. The flow is suppressed, or the context of
    /// whoever calls would leak into the turns.
    /// </summary>
    public override void Queue(IThreadPoolWorkItem turns, bool preferLocal)
    {
        if (!_turns.TryGetValue(turns, out var part))
        {
            _turns[turns] = part = lane.CreatePart($"{lane.Name}:{turns}");
        }

        if (ExecutionContext.IsFlowSuppressed())
        {
            part.Post(turns.Execute);
            return;
        }

        using (ExecutionContext.SuppressFlow())
        {
            part.Post(turns.Execute);
        }
    }

    public override Task CancelAsync(CancellationTokenSource source)
    {
        source.Cancel();
        return Task.CompletedTask;
    }

    public override SiloNeighbours? Neighbours(ClusterId cluster)
    {
        if (silo.Cluster.Siblings is not { } siblings)
        {
            return null;
        }

        var joined = siblings.Join(lane);
        var options = silo.Cluster.SiloOptions;
        return new SiloNeighbours(joined, joined, options with { LeaseDuration = options.LeaseDuration * silo.LeaseFactor });
    }

    public override IConditionalStore Rows(ClusterId cluster) => silo.Cluster.RowsFor(silo);

    /// <summary>
    /// The store that all clusters share, in place of the one that the application would open; the one that it opens where the clusters
    /// keep it together.
    /// </summary>
    public override IConditionalStore Store(string name, ClusterId cluster, Func<IConditionalStore> create) =>
        silo.Cluster.World.KeptTogether.Contains(name) ? create() : silo.Cluster.World.Store(name).From(cluster);

    /// <summary>The cluster's part of a store that the clusters keep together.</summary>
    public SimulatedStore Kept(string name) => silo.Cluster.KeptStore(name);

    public override void InstanceBegins(GrainKey key, GrainDeclaration declaration) =>
        silo.Cluster.World.Watch.InstanceBegins(silo, lane, key, declaration);

    public override void InstanceEnded(GrainKey key) => silo.Cluster.World.Watch.InstanceEnded(lane, key);

    public override IEnumerable<Activation> InOrder(IEnumerable<Activation> activations) =>
        activations.OrderBy(a => a.Key.ToString(), StringComparer.Ordinal);
}
