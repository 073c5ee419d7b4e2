using System.Globalization;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A point in the one order of all writes that replace each other: hybrid time, then source, then command. A <see cref="HybridClock"/>
/// never gives one twice.
/// </summary>
/// <param name="Time">48 bits of milliseconds since 1970, UTC, and 16 bits that count within one.</param>
/// <param name="Source">Who gave it.</param>
/// <param name="Command">The command's number within a transaction, which has one time for all of its writes (Anna section VI-C, note
/// 3).</param>
public readonly record struct Stamp(ulong Time, ReplicaId Source, ushort Command = 0) : ITotalLattice<Stamp>
{
    /// <inheritdoc/>
    public static Stamp Bottom => default;

    /// <inheritdoc/>
    public static string TypeName => "stamp";

    /// <summary>The milliseconds since 1970, UTC.</summary>
    public long Milliseconds => (long)(Time >> 16);

    /// <inheritdoc/>
    public int CompareTo(Stamp other) =>
        Time.CompareTo(other.Time) is var time && time != 0 ? time
        : Source.CompareTo(other.Source) is var source && source != 0 ? source
        : Command.CompareTo(other.Command);

    /// <inheritdoc/>
    public Stamp Merge(Stamp other) => CompareTo(other) >= 0 ? this : other;

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Time:x16}.{Source}.{Command}");

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Body.WriteUnsigned(Time);
        to.WriteSource(Source);
        to.Body.WriteUnsigned(Command);
    }

    /// <inheritdoc/>
    public static Stamp Read(ref LatticeReader from)
    {
        var (time, source, command) = (from.Body.ReadUnsigned(), from.ReadSource(), from.Body.ReadUnsigned());
        from.Latest = Math.Max(from.Latest, time);
        return command <= ushort.MaxValue
            ? new(time, source, (ushort)command)
            : throw LatticeReader.Damaged("holds a command over 16 bits");
    }

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStringValue(ToString());
    }

    /// <inheritdoc/>
    public static Stamp ReadJson(JsonElement from)
    {
        var parts = (from.GetString() ?? string.Empty).Split('.');
        return parts.Length == 3
            && ulong.TryParse(parts[0], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var time)
            && ushort.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out var command)
            ? new(time, ReplicaId.Parse(parts[1]), command)
            : throw LatticeReader.Damaged("holds a text in the place of a stamp");
    }
}
