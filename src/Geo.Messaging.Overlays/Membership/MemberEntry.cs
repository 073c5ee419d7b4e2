namespace Geo.Messaging.Overlays;

/// <summary>What a <see cref="MemberSet"/> knows of a peer.</summary>
/// <param name="Member">The peer in its latest known incarnation.</param>
/// <param name="IsRemoved">True when that incarnation, and so all before it, left.</param>
public sealed record MemberEntry(OverlayMember Member, bool IsRemoved)
{
    /// <summary>True when this knowledge replaces another of the same peer: a total order, so that all replicas settle on one.</summary>
    internal bool Replaces(MemberEntry other)
    {
        var incarnation = Member.Incarnation.CompareTo(other.Member.Incarnation);
        return incarnation != 0 ? incarnation > 0
            : IsRemoved != other.IsRemoved ? IsRemoved
            : string.CompareOrdinal(Text(Member), Text(other.Member)) > 0;
    }

    private static string Text(OverlayMember member) => $"{member.Address} {member.Tag}";
}
