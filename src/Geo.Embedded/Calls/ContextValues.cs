using System.Collections.Immutable;
using System.Globalization;

namespace Geo.Embedded;

/// <summary>Writes and reads the values of <see cref="RequestContext"/>: simple types only, each with its tag.</summary>
internal static class ContextValues
{
    private enum Tag : byte
    {
        Text = 1,
        Boolean = 2,
        Int32 = 3,
        Int64 = 4,
        Double = 5,
        Decimal = 6,
        Guid = 7,
        DateTime = 8,
        DateTimeOffset = 9,
        TimeSpan = 10,
        Bytes = 11,
    }

    public static void Write(PayloadWriter writer, ImmutableDictionary<string, object> values)
    {
        writer.WriteUnsigned((ulong)values.Count);
        if (values.IsEmpty)
        {
            return;
        }

        // In order of the names: the same values are the same bytes in each process.
        foreach (var (name, value) in values.Count == 1 ? values.AsEnumerable() : values.OrderBy(v => v.Key, StringComparer.Ordinal))
        {
            writer.WriteText(name);
            Write(writer, name, value);
        }
    }

    public static ImmutableDictionary<string, object> Read(ref PayloadReader reader)
    {
        var count = reader.ReadCount();
        if (count == 0)
        {
            return CallScope.NoValues;
        }

        var values = CallScope.NoValues.ToBuilder();
        for (var i = 0; i < count; i++)
        {
            values[reader.ReadRequiredText()] = ReadValue(ref reader);
        }

        return values.ToImmutable();
    }

    private static void Write(PayloadWriter writer, string name, object value)
    {
        switch (value)
        {
            case string text: Text(writer, Tag.Text, text); break;
            case bool flag: Number(writer, Tag.Boolean, flag ? 1 : 0); break;
            case int number: Number(writer, Tag.Int32, number); break;
            case long number: Number(writer, Tag.Int64, number); break;
            case double number: Number(writer, Tag.Double, BitConverter.DoubleToInt64Bits(number)); break;
            case decimal number: Text(writer, Tag.Decimal, number.ToString(CultureInfo.InvariantCulture)); break;
            case Guid guid: Text(writer, Tag.Guid, guid.ToString("N")); break;
            case DateTime time: Number(writer, Tag.DateTime, time.ToBinary()); break;
            case DateTimeOffset time: Text(writer, Tag.DateTimeOffset, time.ToString("O", CultureInfo.InvariantCulture)); break;
            case TimeSpan time: Number(writer, Tag.TimeSpan, time.Ticks); break;
            case byte[] bytes:
                writer.WriteByte((byte)Tag.Bytes);
                writer.WriteBytes(bytes);
                break;
            default:
                throw new GeoSerializationException(
                    $"The RequestContext value '{name}' is a {value.GetType().FullName}, which does not travel between processes; "
                    + "set a text, a number, a time, a Guid or bytes.");
        }
    }

    private static object ReadValue(ref PayloadReader reader)
    {
        var tag = (Tag)reader.ReadByte();
        try
        {
            return tag switch
            {
                Tag.Text => reader.ReadRequiredText(),
                Tag.Boolean => reader.ReadSigned() != 0,
                Tag.Int32 => (int)reader.ReadSigned(),
                Tag.Int64 => reader.ReadSigned(),
                Tag.Double => BitConverter.Int64BitsToDouble(reader.ReadSigned()),
                Tag.Decimal => decimal.Parse(reader.ReadRequiredText(), CultureInfo.InvariantCulture),
                Tag.Guid => Guid.ParseExact(reader.ReadRequiredText(), "N"),
                Tag.DateTime => DateTime.FromBinary(reader.ReadSigned()),
                Tag.DateTimeOffset => DateTimeOffset.ParseExact(reader.ReadRequiredText(), "O", CultureInfo.InvariantCulture),
                Tag.TimeSpan => TimeSpan.FromTicks(reader.ReadSigned()),
                Tag.Bytes => reader.ReadBytes().ToArray(),
                _ => throw new GeoSerializationException(
                    $"A RequestContext value of kind {(byte)tag} arrived, which is not known here; update the older side."),
            };
        }
        catch (Exception e) when (e is FormatException or OverflowException or ArgumentException)
        {
            throw new GeoSerializationException($"A RequestContext value of kind {tag} cannot be read: {e.Message}", e);
        }
    }

    private static void Text(PayloadWriter writer, Tag tag, string text)
    {
        writer.WriteByte((byte)tag);
        writer.WriteText(text);
    }

    private static void Number(PayloadWriter writer, Tag tag, long number)
    {
        writer.WriteByte((byte)tag);
        writer.WriteSigned(number);
    }
}
