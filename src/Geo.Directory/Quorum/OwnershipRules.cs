namespace Geo.Directory;

/// <summary>
/// Who may take a grain of the mode <see cref="SingleInstanceMode.Quorum"/>: rules Q4, Q5, Q7 and Q8 of the design of regions, with one
/// lease a silo in place of one a cluster. So a row needs no second one in its cluster, and who has died within a cluster is decided as
/// who has died with it.
/// </summary>
internal static class OwnershipRules
{
    /// <summary>
    /// True when the row is nobody's: it names no tenancy, one that has ended, one whose lease is over, or one of this silo's own that the
    /// silo does not know of, since it never heard that its write took effect.
    /// </summary>
    /// <param name="row">The row; null for none.</param>
    /// <param name="lease">The name of this silo's lease.</param>
    /// <param name="isOver">True when the lease that the row names is over.</param>
    public static bool IsVacant(OwnerRow? row, string lease, bool isOver) =>
        row is null || row.IsReleased || row.Lease == lease || isOver;

    /// <summary>The row of a tenancy that begins: its epoch is above that of the row that it replaces.</summary>
    /// <param name="row">The row that it replaces; null for none.</param>
    /// <param name="cluster">The cluster of the new owner.</param>
    /// <param name="node">Its silo.</param>
    /// <param name="lease">The silo's lease.</param>
    /// <param name="now">The silo's wall clock: where there is no row, the epoch is above that of a row which is long gone.</param>
    public static OwnerRow Begin(OwnerRow? row, ClusterId cluster, string node, string lease, DateTimeOffset now) =>
        new(cluster, node, lease, row is null ? EpochAt(now) : SwitchedOff.Is(ProtocolRule.EpochGrows) ? row.Epoch : row.Epoch + 1);

    /// <summary>The lowest epoch of a tenancy that begins at a time, in microseconds since 1970.</summary>
    public static long EpochAt(DateTimeOffset now) => Math.Max(1, (now - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond);

    /// <summary>
    /// The other cluster that is to have a grain which is nobody's (rule Q7), and is asked to take it before this one does; none for none.
    /// </summary>
    public static ClusterId HeirOf(OwnerRow? row, ClusterId local) => row is { IsReleased: true } && row.Heir != local ? row.Heir : default;

    /// <summary>True when the row is that of the tenancy which moves, so that the silo to which it goes may take it.</summary>
    public static bool MayMove(OwnerRow? row, ClusterId cluster, string from, long? tenancy) =>
        row is { IsReleased: false } && row.Cluster == cluster && row.Node == from && (tenancy is null || row.Epoch == tenancy);

    /// <summary>
    /// How long a lease must still stay as it is seen until it has certainly run out: it was renewed for the last time before it was seen
    /// so for the first time. The margin is for clocks that do not run at one rate.
    /// </summary>
    /// <param name="duration">What the lease's row says that a renewal lasts.</param>
    /// <param name="seen">How long it has been seen unchanged.</param>
    public static TimeSpan LeftOf(TimeSpan duration, TimeSpan seen) =>
        SwitchedOff.Is(ProtocolRule.SilenceIsAwaited) ? TimeSpan.Zero : (duration * SiloFences.Margin) - seen;
}
