using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>A flag to set and to clear; of a setting and a clearing that did not see each other the setting wins.</summary>
public readonly record struct DotFlag : IDotted<DotFlag>
{
    private readonly SmallMap<Dot, bool> _values;

    private DotFlag(SmallMap<Dot, bool> values) => _values = values;

    /// <inheritdoc/>
    public static DotFlag Empty => default;

    /// <inheritdoc/>
    public static string TypeName => "flag";

    /// <inheritdoc/>
    public bool IsEmpty => _values.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _values.Keys;

    /// <summary>True while a setting is there that no clearing has seen.</summary>
    public bool Value => !IsEmpty;

    /// <summary>The delta that sets the flag.</summary>
    public Dotted<DotFlag> Set(Dot dot) => Dotted<DotFlag>.Delta(Of(dot), SetContext(dot));

    /// <summary>A flag that one setting has set.</summary>
    internal static DotFlag Of(Dot dot) => new(SmallMap<Dot, bool>.Of(dot, true));

    /// <summary>The context of the delta that sets the flag.</summary>
    internal CausalContext SetContext(Dot dot) => CausalContext.Of(dot, _values);

    /// <summary>The delta that clears the flag, as far as its settings are observed here.</summary>
    public Dotted<DotFlag> Clear(Dot dot) => Dotted<DotFlag>.Delta(dot, Empty, Dots);

    /// <inheritdoc/>
    public DotFlag Merge(CausalContext seen, DotFlag other, CausalContext otherSeen) =>
        new(DotValues.Merge(_values, seen, other._values, otherSeen));

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => DotValues.CountSeen(_values, seen);

    /// <inheritdoc/>
    public bool Equals(DotFlag other) => _values.HasEqual(other._values);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_values);

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => DotValues.Write(to, _values, (_, _) => { });

    /// <inheritdoc/>
    public static DotFlag Read(ref LatticeReader from) => new(DotValues.Read(ref from, (ref LatticeReader _) => true));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => DotValues.WriteJson(to, _values, (w, _) => w.WriteNullValue());

    /// <inheritdoc/>
    public static DotFlag ReadJson(JsonElement from) => new(DotValues.ReadJson(from, _ => true));
}
