using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Geo.Consistency.Tests.Kit;

/// <summary>JSON, but for a text that begins with a zero: that is written as it is, for who reads JSON to stumble over.</summary>
internal sealed class RawSerializer : IGeoSerializer
{
    public void Serialize<T>(T value, IBufferWriter<byte> output) => output.Write(
        value is string text && text.StartsWith('\0') ? Encoding.UTF8.GetBytes(text) : JsonSerializer.SerializeToUtf8Bytes(value));

    public T Deserialize<T>(ReadOnlySpan<byte> input) => throw new NotSupportedException();
}
