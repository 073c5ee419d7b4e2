namespace ByteArraySample;

/// <summary>A part was overwritten.</summary>
public sealed record BytesWritten(int Offset, ReadOnlyMemory<byte> Bytes);
