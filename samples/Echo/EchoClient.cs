using System.Runtime.CompilerServices;
using Geo;
using Geo.Messaging;

namespace EchoSample;

/// <summary>Asks one peer's echo service.</summary>
/// <param name="node">The node that sends.</param>
/// <param name="peer">Where the service is.</param>
/// <param name="channel">The channel that carries the messages; the default one when null.</param>
public sealed class EchoClient(MessagingNode node, PeerId peer, string? channel = null)
{
    /// <summary>Sends a payload there and back.</summary>
    /// <param name="payload">What to send.</param>
    /// <param name="key">Messages with one key keep their order and share a connection.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>How many bytes came back.</returns>
    /// <exception cref="GeoUnavailableException">They did not.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> EchoAsync(
        ReadOnlyMemory<byte> payload, PartitionKey key, CancellationToken cancellationToken = default)
    {
        var reply = await node.RequestAsync(peer, EchoService.Name, payload, new MessageOptions(channel, key), cancellationToken);
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            throw new GeoUnavailableException($"{peer} did not echo: {reply.Outcome}, {reply.Reason}");
        }

        // Nothing keeps the bytes: the next large reply may use their buffer.
        var bytes = reply.Payload.Length;
        reply.Release();
        return bytes;
    }
}
