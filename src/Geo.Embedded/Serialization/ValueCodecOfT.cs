namespace Geo.Embedded;

/// <summary>Copies, writes and reads values: frequent simple types as binary, all else by the serializer.</summary>
internal sealed class ValueCodec<T>(bool immutable) : ValueCodec
{
    private readonly Func<T, T>? _copy = immutable || Immutability.Holds(typeof(T)) ? static value => value : ShallowCopies.Of<T>();
    private readonly BinaryCodec<T>? _binary = BinaryCodecs.Of<T>();
    private readonly bool _isReference = typeof(T).IsInterface && typeof(IAddressable).IsAssignableFrom(typeof(T));

    public T Copy(T value, IGeoSerializer serializer)
    {
        if (_isReference && value is Grain)
        {
            throw new GeoSerializationException(
                $"{value.GetType().FullName} was passed itself, not a reference; pass this.AsReference<{typeof(T).Name}>().");
        }

        if (_copy is not null)
        {
            return _copy(value);
        }

        if (value is null)
        {
            return value;
        }

        var scratch = PayloadWriters.Rent();
        try
        {
            serializer.Serialize(value, scratch);
            return serializer.Deserialize<T>(scratch.Written.Span);
        }
        finally
        {
            PayloadWriters.Return(scratch);
        }
    }

    public void Write(PayloadWriter writer, T value, IGeoSerializer serializer)
    {
        if (_binary is not null)
        {
            _binary.Write(writer, value);
            return;
        }

        var scratch = PayloadWriters.Rent();
        try
        {
            serializer.Serialize(value, scratch);
            writer.WriteBytes(scratch.Written.Span);
        }
        finally
        {
            PayloadWriters.Return(scratch);
        }
    }

    public T Read(ref PayloadReader reader, IGeoSerializer serializer) =>
        _binary is not null ? _binary.Read(ref reader) : serializer.Deserialize<T>(reader.ReadBytes());

    public override object? CopyBoxed(object? value, IGeoSerializer serializer) =>
        _copy is not null && !_isReference && immutable ? value : Copy((T)value!, serializer);

    public override void WriteBoxed(PayloadWriter writer, object? value, IGeoSerializer serializer) => Write(writer, (T)value!, serializer);

    public override object? ReadBoxed(ref PayloadReader reader, IGeoSerializer serializer) => Read(ref reader, serializer);
}
