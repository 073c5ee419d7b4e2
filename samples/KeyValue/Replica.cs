using System.Collections.Concurrent;
using Geo.Messaging;

namespace KeyValueSample;

/// <summary>What one peer holds. Every operation takes the delay of a storage device.</summary>
/// <param name="storageDelay">The delay; 1 ms in Partisan's experiment.</param>
/// <param name="time">Its clock.</param>
public sealed class Replica(TimeSpan storageDelay, TimeProvider time)
{
    private static readonly byte[] Nothing = new Versioned().ToBytes();

    // Stored as they travel, so that a read is answered without a copy.
    private readonly ConcurrentDictionary<string, byte[]> _values = new(StringComparer.Ordinal);

    public async ValueTask<ReadOnlyMemory<byte>> GetAsync(string key, CancellationToken cancellationToken)
    {
        await Task.Delay(storageDelay, time, cancellationToken);
        return _values.GetValueOrDefault(key, Nothing);
    }

    /// <summary>Keeps a value, unless it holds a newer one already.</summary>
    public async ValueTask PutAsync(string key, byte[] versioned, CancellationToken cancellationToken)
    {
        await Task.Delay(storageDelay, time, cancellationToken);
        Keep(key, versioned);
    }

    /// <summary>Keeps a value without a delay, for filling the store.</summary>
    public void Keep(string key, byte[] versioned) =>
        _values.AddOrUpdate(key, versioned, (_, old) => Versioned.Read(versioned).Stamp > Versioned.Read(old).Stamp ? versioned : old);

    /// <summary>Lets the other peers read and write.</summary>
    public IDisposable[] AddTo(MessagingNode node) =>
    [
        node.Handle(Call.Get, (message, stop) => GetAsync(Call.Read(message.Payload).Key, stop)),
        node.Handle(Call.Put, async (message, stop) =>
        {
            var (key, versioned) = Call.Read(message.Payload);
            await PutAsync(key, versioned.ToArray(), stop);
            return ReadOnlyMemory<byte>.Empty;
        }),
    ];
}
