namespace Geo.Orleans;

/// <summary>What Orleans' membership says of the silos of this cluster, as the directory needs it.</summary>
internal sealed class SiloLiveness(IClusterMembershipService membership)
{
    public MembershipVersion Version => membership.CurrentSnapshot.Version;

    /// <summary>The silos that may run activations.</summary>
    public IEnumerable<SiloAddress> Living =>
        membership.CurrentSnapshot.Members.Values
            .Where(member => member.Status is SiloStatus.Joining or SiloStatus.Active or SiloStatus.ShuttingDown or SiloStatus.Stopping)
            .Select(member => member.SiloAddress);

    /// <summary>True unless the silo is certainly gone: declared dead, or succeeded by another incarnation.</summary>
    public bool MayRunInstances(SiloAddress silo) => membership.CurrentSnapshot.GetSiloStatus(silo) != SiloStatus.Dead;
}
