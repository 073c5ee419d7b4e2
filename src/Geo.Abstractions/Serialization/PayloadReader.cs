using System.Text;

namespace Geo;

/// <summary>
/// Reads what <see cref="PayloadWriter"/> wrote. Every length is checked against what is there before anything is allocated.
/// </summary>
public ref struct PayloadReader
{
    private ReadOnlySpan<byte> _rest;

    /// <summary>Starts at the first byte.</summary>
    public PayloadReader(ReadOnlySpan<byte> payload) => _rest = payload;

    /// <summary>The bytes not read yet.</summary>
    public readonly ReadOnlySpan<byte> Rest => _rest;

    /// <summary>Reads one byte.</summary>
    /// <exception cref="GeoSerializationException">Nothing is left.</exception>
    public byte ReadByte() => Take(1)[0];

    /// <summary>Reads an unsigned integer.</summary>
    /// <exception cref="GeoSerializationException">It is cut off or longer than 64 bits.</exception>
    public ulong ReadUnsigned()
    {
        ulong value = 0;
        for (var shift = 0; shift < 70; shift += 7)
        {
            var next = ReadByte();
            if (shift == 63 && next > 1)
            {
                break;
            }

            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new GeoSerializationException("A Geo payload holds an integer longer than 64 bits; it was damaged or is not a Geo payload.");
    }

    /// <summary>Reads a signed integer.</summary>
    /// <exception cref="GeoSerializationException">It is cut off or longer than 64 bits.</exception>
    public long ReadSigned()
    {
        var value = ReadUnsigned();
        return (long)(value >> 1) ^ -(long)(value & 1);
    }

    /// <summary>Reads a count of items that each take at least one byte, so that it can be trusted for an allocation.</summary>
    /// <exception cref="GeoSerializationException">There cannot be that many.</exception>
    public int ReadCount()
    {
        var count = ReadUnsigned();
        return count <= (ulong)_rest.Length ? (int)count : throw CutOff((long)Math.Min(count, long.MaxValue));
    }

    /// <summary>Reads a text; null where null was written.</summary>
    /// <exception cref="GeoSerializationException">It is cut off or not UTF-8.</exception>
    public string? ReadText()
    {
        var length = ReadUnsigned();
        return length == 0 ? null
            : length - 1 <= (ulong)_rest.Length ? Decode(Take((int)(length - 1)))
            : throw CutOff((long)Math.Min(length, long.MaxValue));
    }

    /// <summary>Reads a text that must be there.</summary>
    /// <exception cref="GeoSerializationException">It is cut off or null.</exception>
    public string ReadRequiredText() =>
        ReadText()
            ?? throw new GeoSerializationException("A Geo payload lacks a text it must have; it was damaged or is not a Geo payload.");

    /// <summary>Reads bytes behind their length, without a copy.</summary>
    /// <exception cref="GeoSerializationException">They are cut off.</exception>
    public ReadOnlySpan<byte> ReadBytes() => Take(ReadCount());

    private static string Decode(ReadOnlySpan<byte> utf8)
    {
        try
        {
            return PayloadWriter.StrictUtf8.GetString(utf8);
        }
        catch (DecoderFallbackException e)
        {
            throw new GeoSerializationException("A Geo payload holds a text that is not UTF-8; it was damaged or is not a Geo payload.", e);
        }
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count > _rest.Length)
        {
            throw CutOff(count);
        }

        var taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }

    private readonly GeoSerializationException CutOff(long needed) =>
        new($"A Geo payload is cut off: {needed} more bytes were announced and {_rest.Length} are there.");
}
