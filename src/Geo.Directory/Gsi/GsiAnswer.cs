namespace Geo.Directory;

/// <summary>How a request is answered: the entry afterwards, which must be stored before the reply is sent, and the reply.</summary>
/// <param name="Entry">The entry afterwards.</param>
/// <param name="Kind">The reply.</param>
/// <param name="Node">The node of the instance, for <see cref="GsiReplyKind.InstanceAt"/>, and of a Doubtful one otherwise.</param>
/// <param name="Reason">Why it failed, for people.</param>
internal readonly record struct GsiAnswer(GsiEntry Entry, GsiReplyKind Kind, string? Node = null, string? Reason = null);
