namespace Geo.Orleans;

/// <summary>The row of one silo in its cluster's row store: it renews it while it lives, and others fence it off when it is dead.</summary>
internal static class LeaseRow
{
    public const string Prefix = "silo-lease/";

    private const byte Renewed = 1;
    private const byte Fence = 2;

    public static byte[] Living { get; } = [Renewed];

    public static byte[] Fenced { get; } = [Fence];

    public static string KeyOf(string node) => Prefix + node;

    /// <summary>True for anything that is not a renewal: what cannot be read must not let a silo serve.</summary>
    public static bool IsFenced(StoreRead row) => row.Outcome == StoreReadOutcome.Found && !row.Value.Span.SequenceEqual(Living);
}
