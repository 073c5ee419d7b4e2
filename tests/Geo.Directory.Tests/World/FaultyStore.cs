using Geo.Testing;

namespace Geo.Directory.Tests;

internal enum StoreFault
{
    None,
    UnknownWithoutEffect,
    UnknownWithEffect,
    UnknownWithLateEffect,
}

/// <summary>A store in memory that answers synchronously, and unknown where the test says so, by the number of the operation.</summary>
internal sealed class FaultyStore(SimulationScheduler scheduler) : IConditionalStore
{
    private static readonly TimeSpan Lateness = TimeSpan.FromSeconds(3);

    public InMemoryConditionalStore Inner { get; } = new();

    /// <summary>Reads, writes and deletes so far.</summary>
    public int Operations { get; private set; }

    /// <summary>What goes wrong with the n-th operation, counted from 0.</summary>
    public Func<int, StoreFault> Fault { get; set; } = _ => StoreFault.None;

    /// <summary>What goes wrong with the writing of a row in a given state; of none, for a delete.</summary>
    public Func<GsiState, StoreFault> WriteFault { get; set; } = _ => StoreFault.None;

    public GsiEntry Entry(GrainKey key) => DirectoryRows.ToRow(Inner.ReadAsync(DirectoryRows.KeyOf(key)).AsTask().Result).Entry;

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        Fault(Operations++) == StoreFault.None ? Inner.ReadAsync(key, cancellationToken) : new(StoreRead.Unknown("the test says so"));

    public ValueTask<StoreWrite> WriteAsync(string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var copy = value.ToArray();
        return Do(GsiEntry.Decode(copy).State, () => Inner.WriteAsync(key, copy, expected, CancellationToken.None));
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Do(GsiState.Invalid, () => Inner.DeleteAsync(key, expected, CancellationToken.None));

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        Inner.ListAsync(prefix, cancellationToken);

    private ValueTask<StoreWrite> Do(GsiState written, Func<ValueTask<StoreWrite>> operation)
    {
        var fault = Fault(Operations++);
        switch (fault == StoreFault.None ? WriteFault(written) : fault)
        {
            case StoreFault.None:
                return operation();
            case StoreFault.UnknownWithEffect:
                _ = operation().AsTask().Result;
                break;
            case StoreFault.UnknownWithLateEffect:
                _ = LaterAsync(operation);
                break;
            default:
                break;
        }

        return new(StoreWrite.Unknown("the test says so"));
    }

    private async Task LaterAsync(Func<ValueTask<StoreWrite>> operation)
    {
        await Task.Delay(Lateness, scheduler.Time);
        await operation();
    }
}
