using System.Globalization;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The name of one update: its source and the update's number there. Numbers ascend by source, over all that the source updates.
/// </summary>
/// <param name="Source">Who made the update.</param>
/// <param name="Number">Its number, from 1.</param>
public readonly record struct Dot(ReplicaId Source, long Number) : IComparable<Dot>
{
    /// <inheritdoc/>
    public int CompareTo(Dot other) => Source.CompareTo(other.Source) is var order && order != 0 ? order : Number.CompareTo(other.Number);

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Source}:{Number}");

    internal static void Write(LatticeWriter to, Dot dot) => to.WriteDot(dot);

    internal static Dot Read(ref LatticeReader from) => from.ReadDot();

    internal static void WriteJson(Utf8JsonWriter to, Dot dot) => to.WriteStringValue(dot.ToString());

    internal static Dot ReadJson(JsonElement from)
    {
        var text = from.GetString() ?? string.Empty;
        return text.Length > 17 && text[16] == ':'
            && long.TryParse(text.AsSpan(17), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? new(ReplicaId.Parse(text[..16]), number)
            : throw LatticeReader.Damaged($"holds '{text}' in the place of a dot");
    }
}
