namespace Geo.Consistency.Lattices;

/// <summary>The way of replicas to those on other silos of their cluster.</summary>
/// <param name="membership">Tells of them.</param>
/// <param name="siblings">Carries what they tell each other.</param>
/// <param name="cluster">The cluster.</param>
/// <param name="group">Whose replicas.</param>
internal sealed class LatticeSiblings(ISiloMembership membership, ISiblings siblings, ClusterId cluster, LatticeGroup group)
{
    /// <summary>The other silos.</summary>
    internal IEnumerable<LatticeAddress> Addresses => membership.Siblings.Select(node => new LatticeAddress(cluster, node));

    /// <summary>True when a silo of this cluster is about to stop.</summary>
    internal bool IsLeaving(LatticeAddress address) =>
        address.Silo is { } silo && membership.Members.StateOf(silo) == SiloState.Leaving;

    /// <summary>Tells another silo something; it may be lost.</summary>
    /// <param name="message">What, and where to.</param>
    internal void Tell(LatticeSend message)
    {
        var origin = message.Origin ?? new(cluster, membership.Local);
        var writer = new PayloadWriter();
        writer.WriteText(origin.Cluster.Name);
        writer.WriteText(origin.Silo);
        writer.WriteBytes(message.Message);
        siblings.Tell(message.To.Silo!, group.Service, writer.Written);
    }

    /// <summary>Hears what other silos tell.</summary>
    internal IDisposable Handle(Action<LatticeAddress, ReadOnlyMemory<byte>> receive) =>
        siblings.Handle(group.Service, (told, _) =>
        {
            var reader = new PayloadReader(told.Span);
            var origin = new LatticeAddress(new(reader.ReadRequiredText()), reader.ReadText());
            var length = reader.ReadBytes().Length;
            receive(origin, told.Slice(told.Length - reader.Rest.Length - length, length));
            return default;
        });
}
