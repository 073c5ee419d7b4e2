using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>A flag that is false once it was false anywhere: merges by "and".</summary>
/// <param name="Value">The flag. Beware that <c>default</c> is false, which is final; begin with <see cref="Bottom"/>.</param>
public readonly record struct BoolAnd(bool Value) : ITotalLattice<BoolAnd>
{
    /// <inheritdoc/>
    public static BoolAnd Bottom => new(true);

    /// <inheritdoc/>
    public static string TypeName => "and";

    /// <inheritdoc/>
    public BoolAnd Merge(BoolAnd other) => new(Value && other.Value);

    /// <summary>By the order of merging: true comes first.</summary>
    public int CompareTo(BoolAnd other) => other.Value.CompareTo(Value);

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Body.WriteByte(Value ? (byte)1 : (byte)0);
    }

    /// <inheritdoc/>
    public static BoolAnd Read(ref LatticeReader from) => new(from.ReadFlag());

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteBooleanValue(Value);
    }

    /// <inheritdoc/>
    public static BoolAnd ReadJson(JsonElement from) => new(from.GetBoolean());
}
