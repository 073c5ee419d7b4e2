namespace Geo.Messaging;

/// <summary>A link to a peer came up or went down.</summary>
/// <param name="Member">The peer.</param>
/// <param name="IsUp">True when the link came up, false when it went down.</param>
/// <param name="Reason">Why it went down, for people; null when it came up.</param>
public sealed record MembershipChange(Member Member, bool IsUp, string? Reason);
