namespace Geo.Messaging;

/// <summary>The wire versions that a node speaks.</summary>
/// <param name="Oldest">The lowest.</param>
/// <param name="Newest">The highest.</param>
internal readonly record struct WireVersions(int Oldest, int Newest)
{
    /// <summary>The version from which one-way and request frames may carry a trace context.</summary>
    public const int WithTraces = 2;

    /// <summary>The version from which large messages are striped over bulk lanes that are opened on demand.</summary>
    public const int WithBulkLanes = 2;

    /// <summary>The version from which handshakes carry the facts of <see cref="IPeerFacts"/>.</summary>
    public const int WithFacts = 2;

    /// <summary>The newest version that this build speaks.</summary>
    public const int Latest = 2;

    /// <summary>What this build speaks: its own version and the one before, so that a network is upgraded peer by peer.</summary>
    public static WireVersions Current { get; } = new(Latest - 1, Latest);

    /// <summary>The highest version that both sides speak; null when there is none.</summary>
    public int? Common(WireVersions other)
    {
        var best = Math.Min(Newest, other.Newest);
        return best >= Math.Max(Oldest, other.Oldest) ? best : null;
    }

    public override string ToString() => Oldest == Newest ? $"{Oldest}" : $"{Oldest} to {Newest}";
}
