namespace Geo;

/// <summary>What a store did when it was asked for one row.</summary>
/// <param name="Store">The store's name in this silo; <see cref="DirectoryRows"/> for that of the directory.</param>
/// <param name="Time">How long it took, or has taken until the wait for it ended.</param>
/// <param name="Trouble">Why it gave no answer, for people; null when it gave one.</param>
/// <param name="Identity">
/// Which store it is, by the identity that a store draws once and for ever; null where it did not answer, or nobody has asked it that,
/// which is so of stores that clusters do not share.
/// </param>
public sealed record StoreAnswer(string Store, TimeSpan Time, string? Trouble, string? Identity = null)
{
    /// <summary>The name under which the store of the directory's rows is told of.</summary>
    public const string DirectoryRows = "directory rows";
}
