using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Orleans.Serialization.Buffers;
using Orleans.Serialization.Serializers;
using Orleans.Serialization.WireProtocol;

namespace Geo.Orleans;

/// <summary>Writes a request that is passed on to another silo as the caller made it: each silo checks its own lease.</summary>
[SuppressMessage("Performance", "CA1812", Justification = "Created by the service provider.")]
internal sealed class WatchedRequestCodec : IGeneralizedCodec
{
    public bool IsSupportedType(Type type) => type == typeof(WatchedRequest);

    public void WriteField<TBufferWriter>(ref Writer<TBufferWriter> writer, uint fieldIdDelta, Type? expectedType, object? value)
        where TBufferWriter : IBufferWriter<byte>
    {
        var request = ((WatchedRequest)value!).Request;
        writer.Session.CodecProvider.GetCodec(request.GetType()).WriteField(ref writer, fieldIdDelta, expectedType, request);
    }

    public object ReadValue<TInput>(ref Reader<TInput> reader, Field field) =>
        throw new GeoSerializationException("A request arrived in a form that is never written.");
}
