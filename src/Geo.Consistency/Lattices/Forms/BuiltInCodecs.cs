using System.Text;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

internal sealed class TextCodec : ValueCodec<string>
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public override string Name => "text";

    public override int Compare(string? x, string? y) => string.CompareOrdinal(x, y);

    public override void Write(string value, LatticeWriter to) => to.Body.WriteText(value);

    public override string Read(ref LatticeReader from) => from.Body.ReadRequiredText();

    // Utf8JsonWriter would put replacement characters for half a surrogate pair, and the text would come back as another one.
    public override void WriteJson(string value, Utf8JsonWriter to)
    {
        try
        {
            to.WriteStringValue(Strict.GetBytes(value));
        }
        catch (EncoderFallbackException e)
        {
            throw new GeoSerializationException(
                $"A text holds half of a surrogate pair at character {e.Index}; Geo carries well-formed Unicode.", e);
        }
    }

    public override string ReadJson(JsonElement from) => from.GetString() ?? throw LatticeReader.Damaged("lacks a text it must have");
}

internal sealed class IntegerCodec<T>(string name, Func<T, long> widen, Func<long, T> narrow) : ValueCodec<T>
    where T : struct, IComparable<T>
{
    public override string Name => name;

    public override int Compare(T x, T y) => x.CompareTo(y);

    public override void Write(T value, LatticeWriter to) => to.Body.WriteSigned(widen(value));

    public override T Read(ref LatticeReader from) => Narrow(from.Body.ReadSigned());

    public override void WriteJson(T value, Utf8JsonWriter to) => to.WriteNumberValue(widen(value));

    public override T ReadJson(JsonElement from) => Narrow(from.GetInt64());

    private T Narrow(long value)
    {
        try
        {
            return narrow(value);
        }
        catch (OverflowException e)
        {
            throw new GeoSerializationException($"A lattice's form holds {value} for an {name}; it was damaged.", e);
        }
    }
}

internal sealed class BooleanCodec : ValueCodec<bool>
{
    public override string Name => "bool";

    public override int Compare(bool x, bool y) => x.CompareTo(y);

    public override void Write(bool value, LatticeWriter to) => to.Body.WriteByte(value ? (byte)1 : (byte)0);

    public override bool Read(ref LatticeReader from) => from.ReadFlag();

    public override void WriteJson(bool value, Utf8JsonWriter to) => to.WriteBooleanValue(value);

    public override bool ReadJson(JsonElement from) => from.GetBoolean();
}

internal sealed class GuidCodec : ValueCodec<Guid>
{
    public override string Name => "guid";

    public override int Compare(Guid x, Guid y) => x.CompareTo(y);

    public override void Write(Guid value, LatticeWriter to) => to.Body.WriteBytes(value.ToByteArray());

    public override Guid Read(ref LatticeReader from) =>
        from.Body.ReadBytes() is { Length: 16 } bytes ? new(bytes) : throw LatticeReader.Damaged("holds a guid that is not 16 bytes long");

    public override void WriteJson(Guid value, Utf8JsonWriter to) => to.WriteStringValue(value);

    public override Guid ReadJson(JsonElement from) => from.GetGuid();
}

internal sealed class ReplicaIdCodec : ValueCodec<ReplicaId>
{
    public override string Name => "replica";

    public override int Compare(ReplicaId x, ReplicaId y) => x.CompareTo(y);

    public override void Write(ReplicaId value, LatticeWriter to) => to.WriteSource(value);

    public override ReplicaId Read(ref LatticeReader from) => from.ReadSource();

    public override void WriteJson(ReplicaId value, Utf8JsonWriter to) => to.WriteStringValue(value.ToString());

    public override ReplicaId ReadJson(JsonElement from) => ReplicaId.Parse(from.GetString());
}

internal sealed class StampCodec : ValueCodec<Stamp>
{
    public override string Name => Stamp.TypeName;

    public override int Compare(Stamp x, Stamp y) => x.CompareTo(y);

    public override void Write(Stamp value, LatticeWriter to) => value.Write(to);

    public override Stamp Read(ref LatticeReader from) => Stamp.Read(ref from);

    public override void WriteJson(Stamp value, Utf8JsonWriter to) => value.WriteJson(to);

    public override Stamp ReadJson(JsonElement from) => Stamp.ReadJson(from);
}
