using System.Buffers;
using System.Buffers.Binary;

namespace Geo.Consistency.Tests.Kit;

/// <summary>Writes an int as four bytes.</summary>
internal sealed class NumberSerializer : IGeoSerializer
{
    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        BinaryPrimitives.WriteInt32LittleEndian(output.GetSpan(sizeof(int)), (int)(object)value!);
        output.Advance(sizeof(int));
    }

    public T Deserialize<T>(ReadOnlySpan<byte> input) => (T)(object)BinaryPrimitives.ReadInt32LittleEndian(input);
}
