namespace Geo.Embedded;

/// <summary>A grain's state in a conditional store, under the prefix "state/".</summary>
/// <param name="key">The grain.</param>
/// <param name="slot">Which of its states.</param>
/// <param name="store">The store; ends every operation in bounded time.</param>
/// <param name="serializer">Writes and reads the state.</param>
/// <param name="distrust">Ends the activation, because what it holds in memory can no longer be trusted.</param>
internal sealed class StoredState<TState>(
    GrainKey key, StateSlot slot, IConditionalStore store, IGeoSerializer serializer, Action<string, Exception> distrust)
    : IPersistentState<TState>, IStoredState
{
    private readonly string _row = $"state/{slot.Name}/{key}";
    private ETag? _etag;
    private Task _last = Task.CompletedTask;
    private volatile bool _isClosed;

    public TState State { get; set; } = Activator.CreateInstance<TState>();

    public string? Etag => _etag?.Value;

    public bool RecordExists => _etag is not null;

    public Task LoadAsync(CancellationToken cancellationToken) => ReadStateAsync(cancellationToken);

    public void Close() => _isClosed = true;

    public Task ReadStateAsync(CancellationToken cancellationToken = default) =>
        OneAtATime(() => RefusalOfClosed() ?? ReadAsync(cancellationToken));

    public Task WriteStateAsync(CancellationToken cancellationToken = default) =>
        OneAtATime(() => RefusalOfClosed() ?? WriteAsync(cancellationToken));

    public Task ClearStateAsync(CancellationToken cancellationToken = default) =>
        OneAtATime(() => RefusalOfClosed() ?? ClearAsync(cancellationToken));

    /// <summary>A second operation of an interleaving call would otherwise meet the first one's version and look like a conflict.</summary>
    private Task OneAtATime(Func<Task> operation)
    {
        return _last = _last.IsCompleted ? operation() : AfterAsync(_last, operation);

        static async Task AfterAsync(Task last, Func<Task> operation)
        {
            await last.ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
            await operation();
        }
    }

    private async Task ReadAsync(CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(_row, cancellationToken);
        switch (read.Outcome)
        {
            case StoreReadOutcome.Found:
                State = Deserialize(read.Value.Span);
                _etag = read.ETag;
                break;
            case StoreReadOutcome.NotFound:
                State = Activator.CreateInstance<TState>();
                _etag = null;
                break;
            default:
                throw new GeoUnavailableException(
                    $"The state '{slot.Name}' of {key} could not be read from the store '{slot.Storage}': {read.Reason}");
        }
    }

    private Task? RefusalOfClosed() => _isClosed
        ? Task.FromException(new GeoUnavailableException(
            $"This instance of {key} has ended, and its state '{slot.Name}' with it; nothing was read or written."))
        : null;

    private TState Deserialize(ReadOnlySpan<byte> value)
    {
        try
        {
            return serializer.Deserialize<TState>(value)
                ?? throw new GeoSerializationException("it is null.");
        }
        catch (GeoSerializationException e)
        {
            throw new GeoSerializationException(
                $"The state '{slot.Name}' of {key} in the store '{slot.Storage}' under '{_row}' is not a {typeof(TState).FullName}; "
                + $"nothing was overwritten. Repair or delete it there. {e.Message}", e);
        }
    }

    private async Task WriteAsync(CancellationToken cancellationToken)
    {
        var writer = PayloadWriters.Rent();
        serializer.Serialize(State, writer);
        var write = await store.WriteAsync(_row, writer.Written, _etag, cancellationToken);
        if (write.Outcome != StoreWriteOutcome.Unknown)
        {
            // A store that still writes would go on to read it.
            PayloadWriters.Return(writer);
        }

        Settle(write, "written");
        _etag = write.ETag;
    }

    private async Task ClearAsync(CancellationToken cancellationToken)
    {
        if (_etag is { } etag)
        {
            Settle(await store.DeleteAsync(_row, etag, cancellationToken), "cleared");
        }

        _etag = null;
        State = Activator.CreateInstance<TState>();
    }

    private void Settle(StoreWrite write, string done)
    {
        if (write.Outcome == StoreWriteOutcome.Applied)
        {
            return;
        }

        GeoException failure = write.Outcome == StoreWriteOutcome.Conflict
            ? new InconsistentStateException(
                $"The state '{slot.Name}' of {key} was not {done}: another instance changed it in the store '{slot.Storage}' since version "
                + $"{_etag?.Value ?? "none"}. The grain starts afresh with the next call; try again.")
            : new GeoOutcomeUnknownException(
                $"Whether the state '{slot.Name}' of {key} was {done} is not known ({write.Reason}). The grain starts afresh with the "
                + "next call; read before trying again.");
        distrust(failure.Message, failure);
        throw failure;
    }
}
