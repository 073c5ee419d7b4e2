using System.Buffers;
using System.Text;

namespace Geo;

/// <summary>
/// Writes the small binary messages and rows of Geo's protocols: variable-length integers (LEB128, zig-zag for signed), and text and
/// bytes behind their length. Read back by <see cref="PayloadReader"/>.
/// </summary>
public sealed class PayloadWriter : IBufferWriter<byte>
{
    /// <summary>UTF-8 that refuses what it cannot carry unchanged.</summary>
    internal static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly ArrayBufferWriter<byte> _buffer = new();

    /// <summary>What has been written; valid until the next write.</summary>
    public ReadOnlyMemory<byte> Written => _buffer.WrittenMemory;

    /// <summary>A copy of what has been written.</summary>
    public byte[] ToArray() => _buffer.WrittenSpan.ToArray();

    /// <summary>Forgets what has been written and keeps the memory.</summary>
    public void Reset() => _buffer.ResetWrittenCount();

    /// <summary>Writes one byte.</summary>
    public void WriteByte(byte value)
    {
        _buffer.GetSpan(1)[0] = value;
        _buffer.Advance(1);
    }

    /// <summary>Writes an unsigned integer in 1 to 10 bytes.</summary>
    public void WriteUnsigned(ulong value)
    {
        var span = _buffer.GetSpan(10);
        var length = 0;
        while (value >= 0x80)
        {
            span[length++] = (byte)(value | 0x80);
            value >>= 7;
        }

        span[length++] = (byte)value;
        _buffer.Advance(length);
    }

    /// <summary>Writes a signed integer in 1 to 10 bytes, small magnitudes in few.</summary>
    public void WriteSigned(long value) => WriteUnsigned((ulong)((value << 1) ^ (value >> 63)));

    /// <summary>Writes a text; null is kept apart from empty.</summary>
    /// <exception cref="GeoSerializationException">The text holds half of a surrogate pair, which would arrive as another text.</exception>
    public void WriteText(string? text)
    {
        if (text is null)
        {
            WriteUnsigned(0);
            return;
        }

        var length = CountBytes(text);
        WriteUnsigned((ulong)length + 1);
        _buffer.Advance(StrictUtf8.GetBytes(text, _buffer.GetSpan(length)));
    }

    /// <summary>Writes bytes behind their length.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        WriteUnsigned((ulong)bytes.Length);
        _buffer.Write(bytes);
    }

    /// <inheritdoc/>
    public void Advance(int count) => _buffer.Advance(count);

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0) => _buffer.GetMemory(sizeHint);

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => _buffer.GetSpan(sizeHint);

    private static int CountBytes(string text)
    {
        try
        {
            return StrictUtf8.GetByteCount(text);
        }
        catch (EncoderFallbackException e)
        {
            throw new GeoSerializationException(
                $"A text holds half of a surrogate pair at character {e.Index}; Geo carries well-formed Unicode.", e);
        }
    }
}
