namespace ByteArraySample;

/// <summary>The bytes.</summary>
[GenerateSerializer]
public sealed class ArrayState
{
#pragma warning disable CA1819 // It is stored as it is.
    [Id(0)]
    public byte[] Bytes { get; set; } = new byte[Arrays.Size];
#pragma warning restore CA1819

    public byte[] Part(int offset) => Bytes.AsSpan(offset, Arrays.Part).ToArray();

    public void Apply(BytesWritten written)
    {
        ArgumentNullException.ThrowIfNull(written);
        written.Bytes.Span.CopyTo(Bytes.AsSpan(written.Offset));
    }
}
