using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>The forms of a <see cref="CounterRow"/>.</summary>
internal static class CounterForms
{
    internal static void Write(LatticeWriter to, CounterRow row)
    {
        to.Body.WriteUnsigned((ulong)row.Added);
        to.Body.WriteUnsigned((ulong)row.Taken);
    }

    internal static CounterRow Read(ref LatticeReader from) => new(from.ReadNumber(), from.ReadNumber());

    internal static void WriteJson(Utf8JsonWriter to, CounterRow row)
    {
        to.WriteStartArray();
        to.WriteNumberValue(row.Added);
        to.WriteNumberValue(row.Taken);
        to.WriteEndArray();
    }

    internal static CounterRow ReadJson(JsonElement from) => new(NotNegative(from[0].GetInt64()), NotNegative(from[1].GetInt64()));

    internal static long NotNegative(long number) =>
        number >= 0 ? number : throw LatticeReader.Damaged("holds a negative sum in a counter");
}
