namespace Geo.Orleans;

/// <summary>The silos of the cluster, as Orleans' membership has them.</summary>
internal sealed class OrleansMembership(IClusterMembershipService membership, ILocalSiloDetails details) : ISiloMembership
{
    private volatile Known? _last;

    public string Local { get; } = GrainNames.ToNode(details.SiloAddress);

    public SiloMembers Members
    {
        get
        {
            var snapshot = membership.CurrentSnapshot;
            return _last is { } last && last.Snapshot == snapshot
                ? last.Members
                : (_last = new Known(snapshot, new SiloMembers(snapshot.Members.Values.Select(Describe)))).Members;
        }
    }

    private sealed record Known(ClusterMembershipSnapshot Snapshot, SiloMembers Members);

    private static SiloMember Describe(ClusterMember member) => new(GrainNames.ToNode(member.SiloAddress), member.Status switch
    {
        SiloStatus.Joining or SiloStatus.Active => SiloState.Living,
        SiloStatus.ShuttingDown or SiloStatus.Stopping => SiloState.Leaving,
        SiloStatus.Dead => SiloState.Dead,
        _ => SiloState.Unknown,
    });
}
