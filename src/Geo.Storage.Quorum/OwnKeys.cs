namespace Geo.Storage.Quorum;

/// <summary>The keys that a quorum store keeps for itself: no user has one that begins with U+0001.</summary>
internal static class OwnKeys
{
    /// <summary>Of an acceptor, in its own store, and of no register: what it keeps of itself (<see cref="AcceptorMeta"/>).</summary>
    public const string Meta = "\u0001";

    /// <summary>The register that says when a process last began a sweep.</summary>
    public const string Sweep = "\u0001sweep";

    /// <summary>The register of the list of stores (<see cref="KeptList"/>); none stands there while it is the first one.</summary>
    public const string Stores = "\u0001stores";

    /// <summary>True for those.</summary>
    public static bool Include(string key) => key[0] == '\u0001';
}
