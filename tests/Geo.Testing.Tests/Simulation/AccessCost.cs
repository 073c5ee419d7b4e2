namespace Geo.Testing.Tests;

/// <summary>What an access to a grain costs.</summary>
/// <param name="RoundTrips">Between clusters.</param>
/// <param name="Reads">Of the row store of the cluster that calls.</param>
/// <param name="Writes">To it, deletes among them.</param>
/// <param name="OtherReads">Of the row store of another cluster, of the one with the most.</param>
/// <param name="OtherWrites">To it.</param>
internal readonly record struct AccessCost(int RoundTrips, long Reads, long Writes, long OtherReads, long OtherWrites)
{
    /// <summary>As a row of a table.</summary>
    public override string ToString() => $"{RoundTrips} | {Reads} read, {Writes} written | {OtherReads} read, {OtherWrites} written";

    /// <summary>The dearer of two in each respect.</summary>
    public static AccessCost Worst(AccessCost a, AccessCost b) => new(
        Math.Max(a.RoundTrips, b.RoundTrips), Math.Max(a.Reads, b.Reads), Math.Max(a.Writes, b.Writes),
        Math.Max(a.OtherReads, b.OtherReads), Math.Max(a.OtherWrites, b.OtherWrites));
}
