namespace Geo.Directory;

/// <summary>A cluster's reply to one round's request.</summary>
/// <param name="From">The cluster that replied, or did not.</param>
/// <param name="Round">The round of the request that it replied to.</param>
/// <param name="Kind">What it replied.</param>
/// <param name="Node">The node of the instance, for <see cref="GsiReplyKind.InstanceAt"/>, and of a Doubtful one otherwise.</param>
/// <param name="Reason">Why it failed or is missing, for people.</param>
/// <param name="Stamp">The configuration that it works with.</param>
internal readonly record struct GsiReply(
    ClusterId From, long Round, GsiReplyKind Kind, string? Node = null, string? Reason = null, ConfigurationStamp Stamp = default);
