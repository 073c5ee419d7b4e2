namespace Geo.Directory;

/// <summary>What the membership and the leases say of the silos of this cluster, as the directory needs it.</summary>
internal sealed class SiloLiveness(ISiloMembership membership, SiloFences fences, Func<string, bool> isUnheard)
{
    /// <summary>The silos that may run activations, but for this one, by name.</summary>
    public IEnumerable<string> Siblings => membership.Siblings.Where(node => !fences.IsKnownGone(node));

    /// <summary>True of a silo that has been fenced off, as far as this one knows. Asks nobody.</summary>
    public bool IsKnownGone(string node) => fences.IsKnownGone(node);

    /// <summary>True when calls can be sent there.</summary>
    public bool MayBeCalled(string node) => membership.Members.MayBeCalled(node) && !fences.IsKnownGone(node);

    /// <summary>
    /// Never waits; a silo that seems gone is being fenced from then on. One that is fenced off is gone though the membership may not know:
    /// it answers probes, and serves no instance.
    /// </summary>
    public NodeState StateOf(string node) =>
        membership.Members.StateOf(node) switch
        {
            SiloState.Living or SiloState.Leaving =>
                fences.IsKnownGone(node) ? NodeState.Gone
                : isUnheard(node) && !SwitchedOff.Is(ProtocolRule.UnheardIsUnfenced) ? NodeState.Unfenced : NodeState.Living,
            var state => fences.IsGone(node, isDead: state == SiloState.Dead) ? NodeState.Gone : NodeState.Unfenced,
        };
}
