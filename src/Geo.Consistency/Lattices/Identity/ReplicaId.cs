using System.Globalization;

namespace Geo.Consistency.Lattices;

/// <summary>
/// One life of one replica, the source of updates: drawn when it starts and never used again, because a replica that restarted over an
/// older state would give two updates one name.
/// </summary>
/// <param name="Value">64 bits that the host draws from its own source of chance, which a simulation replaces.</param>
public readonly record struct ReplicaId(ulong Value) : IComparable<ReplicaId>
{
    /// <inheritdoc/>
    public int CompareTo(ReplicaId other) => Value.CompareTo(other.Value);

    /// <summary>16 hexadecimal digits.</summary>
    public override string ToString() => Value.ToString("x16", CultureInfo.InvariantCulture);

    internal static ReplicaId Parse(string? text) =>
        text is { Length: 16 } && ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value)
            ? new(value)
            : throw LatticeReader.Damaged($"names a replica by '{text}', which is not 16 hexadecimal digits");
}
