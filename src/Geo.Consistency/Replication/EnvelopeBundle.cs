namespace Geo.Consistency;

/// <summary>
/// Several messages between exchanges as one, for what needs no answer but is to be tried again if it did not arrive. It begins with a
/// zero, which no single one does: a grain's type has a name.
/// </summary>
internal static class EnvelopeBundle
{
    // A damaged count must not make room for more.
    private const int MaxMessages = 10_000;

    internal static byte[] Write(IReadOnlyList<byte[]> envelopes)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(0);
        writer.WriteUnsigned((ulong)envelopes.Count);
        foreach (var envelope in envelopes)
        {
            writer.WriteBytes(envelope);
        }

        return writer.ToArray();
    }

    internal static bool Is(in ClusterMessage message) => !message.Payload.IsEmpty && message.Payload.Span[0] == 0;

    /// <summary>Hands each message to the handler of single ones, and ends when all are handled; one that fails keeps no other.</summary>
    /// <exception cref="GeoSerializationException">The bytes are no bundle.</exception>
    internal static async ValueTask<ReadOnlyMemory<byte>> DeliverAsync(
        ClusterMessage message, ClusterMessageHandler handler, CancellationToken cancellationToken)
    {
        await Task.WhenAll(Read(message.Payload).ConvertAll(HandleAsync));
        return ReplicaEnvelope.WriteReply(default);

        async Task HandleAsync(ReadOnlyMemory<byte> envelope)
        {
            try
            {
                await handler(new(message.From, ReplicaExchange.Service, envelope, ExpectsReply: true), cancellationToken);
            }
            catch (GeoException)
            {
                // Its sender finds out by what does not happen.
            }
        }
    }

    private static List<ReadOnlyMemory<byte>> Read(ReadOnlyMemory<byte> bundle)
    {
        var reader = new PayloadReader(bundle.Span[1..]);
        var count = reader.ReadCount();
        if (count > MaxMessages)
        {
            throw new GeoSerializationException($"A bundle of {count} messages between exchanges is larger than any is.");
        }

        var envelopes = new List<ReadOnlyMemory<byte>>(count);
        for (var i = 0; i < count; i++)
        {
            var length = reader.ReadBytes().Length;
            envelopes.Add(bundle.Slice(bundle.Length - reader.Rest.Length - length, length));
        }

        return envelopes;
    }
}
