using Geo.Testing;

namespace Geo.Directory.Tests;

internal enum StoreFault
{
    None,
    UnknownWithoutEffect,
    UnknownWithEffect,
    UnknownWithLateEffect,

    /// <summary>A conflict, as if somebody else had written the row just before.</summary>
    Conflicts,

    /// <summary>No answer ever, whatever becomes of the token.</summary>
    Hangs,
}

/// <summary>A store in memory that answers synchronously, and unknown where the test says so, by the number of the operation.</summary>
internal sealed class FaultyStore(SimulationScheduler scheduler) : IConditionalStore
{
    private static readonly TimeSpan Lateness = TimeSpan.FromSeconds(3);

    private readonly TaskCompletionSource _resumed = new();

    public InMemoryConditionalStore Inner { get; } = new();

    /// <summary>Reads, writes and deletes so far.</summary>
    public int Operations => Reads + Writes;

    /// <summary>Reads so far.</summary>
    public int Reads { get; private set; }

    /// <summary>Writes and deletes so far.</summary>
    public int Writes { get; private set; }

    /// <summary>What goes wrong with the n-th operation, counted from 0.</summary>
    public Func<int, StoreFault> Fault { get; set; } = _ => StoreFault.None;

    /// <summary>What goes wrong with the writing of a row in a given state; of none, for a delete.</summary>
    public Func<GsiState, StoreFault> WriteFault { get; set; } = _ => StoreFault.None;

    /// <summary>What each write waits for before it takes place.</summary>
    public Task Gate { get; set; } = Task.CompletedTask;

    /// <summary>What the answer to the writing of a row in a given state waits for, once it has taken place.</summary>
    public Func<GsiState, Task> Answers { get; set; } = _ => Task.CompletedTask;

    public GsiEntry Entry(GrainKey key) => DirectoryRows.ToRow(Inner.ReadAsync(DirectoryRows.KeyOf(key)).AsTask().Result).Entry;

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        if (!Counts(key))
        {
            return Inner.ReadAsync(key, cancellationToken);
        }

        var fault = Fault(Operations);
        Reads++;
        return fault switch
        {
            StoreFault.None => Inner.ReadAsync(key, cancellationToken),
            StoreFault.Hangs => HangAsync<StoreRead>(),
            _ => new(StoreRead.Unknown("the test says so")),
        };
    }

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var copy = value.ToArray();
        return Do(
            key, key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal) ? GsiEntry.Decode(copy).State : default,
            () => Inner.WriteAsync(key, copy, expected, CancellationToken.None));
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Do(key, GsiState.Invalid, () => Inner.DeleteAsync(key, expected, CancellationToken.None));

    /// <summary>What goes wrong with a list: unknown breaks it off.</summary>
    public StoreFault ListFault { get; set; }

    /// <summary>How often the rows were listed.</summary>
    public int RowLists { get; private set; }

    public bool HasIndexEntry(GrainKey key) => Inner.ReadAsync(DoubtfulIndex.KeyOf(key)).AsTask().Result.Outcome == StoreReadOutcome.Found;

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default)
    {
        RowLists += prefix == GlobalDirectory.RowPrefix ? 1 : 0;
        return ListFault switch
        {
            StoreFault.None => Inner.ListAsync(prefix, cancellationToken),
            StoreFault.Hangs => HangingListAsync(),
            _ => throw new GeoUnavailableException("the test says so"),
        };
    }

    /// <summary>Answers all operations that hang.</summary>
    public void Resume() => _resumed.TrySetResult();

    /// <summary>Whose turn it is to scan is nobody's test but that of the turn itself.</summary>
    private static bool Counts(string key) =>
        key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal)
            || key.StartsWith(DoubtfulIndex.Prefix, StringComparison.Ordinal);

    private ValueTask<StoreWrite> Do(string key, GsiState written, Func<ValueTask<StoreWrite>> operation)
    {
        if (!Counts(key))
        {
            return operation();
        }

        var fault = Fault(Operations);
        Writes++;
        switch (fault == StoreFault.None ? WriteFault(written) : fault)
        {
            case StoreFault.None:
                return !Gate.IsCompleted ? BehindAsync(Gate, operation)
                    : Answers(written) is { IsCompleted: false } answer ? BeforeAsync(answer, operation()) : operation();
            case StoreFault.Hangs:
                return HangAsync<StoreWrite>();
            case StoreFault.Conflicts:
                return new(StoreWrite.Conflict);
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

    private static async ValueTask<StoreWrite> BehindAsync(Task gate, Func<ValueTask<StoreWrite>> operation)
    {
        await gate;
        return await operation();
    }

    private static async ValueTask<StoreWrite> BeforeAsync(Task answer, ValueTask<StoreWrite> done)
    {
        await answer;
        return await done;
    }

    private async ValueTask<T> HangAsync<T>()
    {
        await _resumed.Task;
        return default!;
    }

    private async IAsyncEnumerable<StoreEntry> HangingListAsync()
    {
        await _resumed.Task;
        yield break;
    }

    private async Task LaterAsync(Func<ValueTask<StoreWrite>> operation)
    {
        await Task.Delay(Lateness, scheduler.Time);
        await operation();
    }
}
