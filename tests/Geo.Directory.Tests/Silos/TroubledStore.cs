using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>A store with one trouble of the test's choice.</summary>
internal sealed class TroubledStore(IConditionalStore inner) : StoreOver(inner)
{
    /// <summary>What happens just before each write.</summary>
    public Func<Task> BeforeWrite { get; init; } = () => Task.CompletedTask;

    /// <summary>The rows that cannot be read.</summary>
    public Func<string, bool> HasLost { get; init; } = _ => false;

    /// <summary>The rows that cannot be written: nobody hears what became of it.</summary>
    public Func<string, bool> LosesWrites { get; init; } = _ => false;

    public override ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        HasLost(key) ? new(StoreRead.Unknown("the test says so")) : Inner.ReadAsync(key, cancellationToken);

    public override async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        await BeforeWrite();
        return LosesWrites(key) ? StoreWrite.Unknown("the test says so") : await Inner.WriteAsync(key, value, expected, cancellationToken);
    }
}
