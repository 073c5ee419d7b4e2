using System.Globalization;
using System.Security.Cryptography;

namespace Geo.Consistency.Lattices;

/// <summary>
/// One life of one replica, the source of updates: drawn when it starts and never used again, because a replica that restarted over an
/// older state would give two updates one name.
/// </summary>
/// <param name="Value">64 random bits.</param>
public readonly record struct ReplicaId(ulong Value) : IComparable<ReplicaId>
{
    /// <summary>A new identity.</summary>
    public static ReplicaId New()
    {
        Span<byte> bytes = stackalloc byte[8];
        RandomNumberGenerator.Fill(bytes);
        return new(BitConverter.ToUInt64(bytes));
    }

    /// <inheritdoc/>
    public int CompareTo(ReplicaId other) => Value.CompareTo(other.Value);

    /// <summary>16 hexadecimal digits.</summary>
    public override string ToString() => Value.ToString("x16", CultureInfo.InvariantCulture);

    internal static ReplicaId Parse(string? text) =>
        text is { Length: 16 } && ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value)
            ? new(value)
            : throw LatticeReader.Damaged($"names a replica by '{text}', which is not 16 hexadecimal digits");
}
