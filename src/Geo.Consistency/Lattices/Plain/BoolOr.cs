using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>A flag that is true once it was true anywhere: merges by "or".</summary>
/// <param name="Value">The flag.</param>
public readonly record struct BoolOr(bool Value) : ITotalLattice<BoolOr>
{
    /// <inheritdoc/>
    public static BoolOr Bottom => new(false);

    /// <inheritdoc/>
    public static string TypeName => "or";

    /// <inheritdoc/>
    public BoolOr Merge(BoolOr other) => new(Value || other.Value);

    /// <summary>By the order of merging: false comes first.</summary>
    public int CompareTo(BoolOr other) => Value.CompareTo(other.Value);

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Body.WriteByte(Value ? (byte)1 : (byte)0);
    }

    /// <inheritdoc/>
    public static BoolOr Read(ref LatticeReader from) => new(from.ReadFlag());

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteBooleanValue(Value);
    }

    /// <inheritdoc/>
    public static BoolOr ReadJson(JsonElement from) => new(from.GetBoolean());
}
