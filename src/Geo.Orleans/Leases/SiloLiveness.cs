namespace Geo.Orleans;

/// <summary>What Orleans' membership and the leases say of the silos of this cluster, as the directory needs it.</summary>
internal sealed class SiloLiveness(IClusterMembershipService membership, SiloFences fences, TimeProvider time)
{
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(50);

    public MembershipVersion Version => membership.CurrentSnapshot.Version;

    /// <summary>The silos that may run activations.</summary>
    public IEnumerable<SiloAddress> Living => membership.CurrentSnapshot.Members.Values.Where(IsLiving).Select(member => member.SiloAddress);

    /// <summary>True when calls can be sent there.</summary>
    public bool MayBeCalled(SiloAddress silo) => membership.CurrentSnapshot.Members.TryGetValue(silo, out var member) && IsLiving(member);

    /// <summary>True unless the silo is certainly gone, its lease included. Never waits; a silo that seems gone is being fenced from then on.</summary>
    public bool MayRunInstances(SiloAddress silo) =>
        MayBeCalled(silo)
        || !fences.IsGone(GrainNames.ToNode(silo), membership.CurrentSnapshot.GetSiloStatus(silo) == SiloStatus.Dead);

    /// <summary>Waits until a silo can either be called or is certainly gone.</summary>
    public async Task WaitUntilClearAsync(SiloAddress silo, CancellationToken cancellationToken)
    {
        while (!MayBeCalled(silo) && MayRunInstances(silo))
        {
            await Task.Delay(Poll, time, cancellationToken);
        }
    }

    private static bool IsLiving(ClusterMember member) =>
        member.Status is SiloStatus.Joining or SiloStatus.Active or SiloStatus.ShuttingDown or SiloStatus.Stopping;
}
