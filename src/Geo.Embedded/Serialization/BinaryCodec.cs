namespace Geo.Embedded;

/// <summary>Reads a value.</summary>
internal delegate T BinaryRead<T>(ref PayloadReader reader);

/// <summary>Writes and reads one simple type.</summary>
internal sealed record BinaryCodec<T>(Action<PayloadWriter, T> Write, BinaryRead<T> Read);
