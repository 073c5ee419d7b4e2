namespace Geo;

/// <summary>Asks one store whether it answers; one question at a time, however many want to know.</summary>
internal sealed class StoreProbe(string name, IConditionalStore store, TimeProvider time)
{
    private readonly Lock _gate = new();
    private Task<string?> _asking = Task.FromResult<string?>(null);
    private long _askedAt;

    /// <inheritdoc cref="IGeoStatus.AskStoresAsync"/>
    public async Task<StoreAnswer> AskAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        Task<string?> asking;
        long askedAt;
        lock (_gate)
        {
            if (_asking.IsCompleted)
            {
                (_asking, _askedAt) = (TroubleAsync(), time.GetTimestamp());
            }

            (asking, askedAt) = (_asking, _askedAt);
        }

        var ended = await asking.EndsWithinAsync(LongestWait.Clamp(timeout), time, cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        var taken = time.GetElapsedTime(askedAt);
        return new(name, taken, ended ? await asking : $"it has not answered for {taken.TotalSeconds:0.###} s");
    }

    private async Task<string?> TroubleAsync()
    {
        // Not under the lock: a store that blocks holds up nobody but the first who asks.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            var read = await store.ReadAsync(StoreIdentity.Key);
            return read.Outcome == StoreReadOutcome.Unknown ? read.Reason : null;
        }
        catch (Exception e)
        {
            // Whatever a store throws is its trouble, not that of whoever asks how it is.
            return e.Message;
        }
    }
}
