using Geo;
using Geo.Messaging;

namespace KeyValueSample;

/// <summary>
/// Reads and writes at two of a key's three replicas. The newest write by the writers' clocks wins; two writes at once are not ordered
/// in any other way.
/// </summary>
/// <param name="node">This peer.</param>
/// <param name="replica">What it holds itself.</param>
/// <param name="ring">Who holds which key.</param>
/// <param name="keyOf">The partition key under which a call travels, from the key.</param>
/// <param name="time">The clock of the stamps.</param>
public sealed class QuorumStore(MessagingNode node, Replica replica, Ring ring, Func<string, PartitionKey> keyOf, TimeProvider time)
{
    private const int Quorum = 2;

    /// <summary>The newest value that two replicas know; empty when there is none.</summary>
    /// <exception cref="GeoUnavailableException">Two replicas did not answer.</exception>
    public async Task<ReadOnlyMemory<byte>> GetAsync(string key, CancellationToken cancellationToken = default)
    {
        var request = Call.Write(key, []);
        var answers = await AskAsync(key, peer => peer == node.Peer
            ? replica.GetAsync(key, cancellationToken).AsTask()
            : RequestAsync(peer, Call.Get, request, key, cancellationToken));
        return answers.Select(Versioned.Read).MaxBy(answer => answer.Stamp).Value;
    }

    /// <summary>Writes a value at two replicas at least.</summary>
    /// <exception cref="GeoUnavailableException">Two replicas did not answer; the value may have been written all the same.</exception>
    public async Task PutAsync(string key, ReadOnlyMemory<byte> value, CancellationToken cancellationToken = default)
    {
        var versioned = new Versioned((ulong)time.GetUtcNow().UtcTicks, value).ToBytes();
        var request = Call.Write(key, versioned);
        await AskAsync(key, async peer =>
        {
            if (peer != node.Peer)
            {
                return await RequestAsync(peer, Call.Put, request, key, cancellationToken);
            }

            await replica.PutAsync(key, versioned, cancellationToken);
            return default;
        });
    }

    private async Task<List<ReadOnlyMemory<byte>>> AskAsync(string key, Func<PeerId, Task<ReadOnlyMemory<byte>>> ask)
    {
        var answers = new List<ReadOnlyMemory<byte>>(Quorum);
        var faults = new List<Exception>();
        await foreach (var answer in Task.WhenEach(ring.ReplicasOf(key).Select(ask)))
        {
            try
            {
                answers.Add(await answer);
            }
            catch (GeoUnavailableException e)
            {
                faults.Add(e);
            }

            if (answers.Count == Quorum)
            {
                return answers;
            }
        }

        throw new GeoUnavailableException($"Only {answers.Count} of the replicas of '{key}' answered, {Quorum} must: {faults[0].Message}");
    }

    private async Task<ReadOnlyMemory<byte>> RequestAsync(
        PeerId peer, string service, byte[] request, string key, CancellationToken cancellationToken)
    {
        var options = new MessageOptions(PartitionKey: keyOf(key));
        var reply = await node.RequestAsync(peer, service, request, options, cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied
            ? reply.Payload
            : throw new GeoUnavailableException($"{peer} did not answer {service}: {reply.Outcome}, {reply.Reason}");
    }
}
