namespace Geo.Messaging;

/// <summary>
/// The wire versions that a node speaks. A later build speaks its own and, where it can, the one before, so that a network is upgraded peer
/// by peer. Versions 1 and 2 are not spoken any more: the former's nodes take the reply that nobody serves a request for a broken frame,
/// the latter's a piece of several units, and end the link.
/// </summary>
/// <param name="Oldest">The lowest.</param>
/// <param name="Newest">The highest.</param>
internal readonly record struct WireVersions(int Oldest, int Newest)
{
    public static WireVersions Current { get; } = new(3, 3);

    /// <summary>The highest version that both sides speak; null when there is none.</summary>
    public int? Common(WireVersions other)
    {
        var best = Math.Min(Newest, other.Newest);
        return best >= Math.Max(Oldest, other.Oldest) ? best : null;
    }

    public override string ToString() => Oldest == Newest ? $"{Oldest}" : $"{Oldest} to {Newest}";
}
