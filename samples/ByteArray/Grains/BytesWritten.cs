namespace ByteArraySample;

/// <summary>A part was overwritten.</summary>
[GenerateSerializer]
public sealed record BytesWritten([property: Id(0)] int Offset, [property: Id(1)] ReadOnlyMemory<byte> Bytes);
