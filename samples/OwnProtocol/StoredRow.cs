using System.Text.Json;

namespace OwnProtocol;

/// <summary>What the store holds of a grain.</summary>
/// <param name="Version">How many updates the state is made of.</param>
/// <param name="State">The state, as the host's serializer writes it.</param>
/// <param name="Writers">For each of the last instances that wrote: the number of its last update, and the version that it made.</param>
/// <param name="ForgottenThrough">The newest version of an instance that had to leave the list.</param>
internal sealed record StoredRow(long Version, byte[] State, Dictionary<long, Writer> Writers, long ForgottenThrough)
{
    private const int MaxWriters = 100;

    public static StoredRow Read(ReadOnlyMemory<byte> bytes) => JsonSerializer.Deserialize<StoredRow>(bytes.Span)
        ?? throw new GeoSerializationException("The row is empty.");

    public byte[] Write() => JsonSerializer.SerializeToUtf8Bytes(this);

    public StoredRow With(int updates, byte[] state, long writer, long number)
    {
        var writers = new Dictionary<long, Writer>(Writers) { [writer] = new(number, Version + updates) };
        var forgotten = ForgottenThrough;
        if (writers.Count > MaxWriters)
        {
            var oldest = writers.MinBy(w => w.Value.Version);
            writers.Remove(oldest.Key);
            forgotten = Math.Max(forgotten, oldest.Value.Version);
        }

        return new(Version + updates, state, writers, forgotten);
    }
}

internal sealed record Writer(long Number, long Version);
