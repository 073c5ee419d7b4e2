using System.Globalization;

namespace Geo.Orleans;

/// <summary>A version that a grain storage holds, or that there is none.</summary>
/// <param name="Condition">The storage's own etag; some have one even for what does not exist.</param>
/// <param name="Exists">The storage has a record.</param>
/// <param name="IsDeleted">The record says that the key was deleted.</param>
/// <param name="Stamps">The stamps of this write and of those before it, the latest first.</param>
internal sealed record StoredVersion(string? Condition, bool Exists, bool IsDeleted, IReadOnlyList<Guid> Stamps)
{
    private const string StampFormat = "N";

    /// <summary>The etag of the value; null where there is none.</summary>
    public ETag? ETag => Exists && !IsDeleted ? ToETag(Stamps[0]) : null;

    public static ETag ToETag(Guid stamp) => new(stamp.ToString(StampFormat, CultureInfo.InvariantCulture));

    /// <summary>
    /// Whether a write that was made on this version and refused can be known not to have been applied, by the version found after it.
    /// </summary>
    public bool IsCertainlyFollowedWithoutIt(StoredVersion found, int maxStamps) =>
        Stamps.Count > 0 ? found.Stamps.Contains(Stamps[0]) : found.Stamps.Count < maxStamps;

    /// <summary>The stamps of a write on this version.</summary>
    public Guid[] StampsWith(Guid stamp, int maxStamps) => [stamp, .. Stamps.Take(maxStamps - 1)];
}
