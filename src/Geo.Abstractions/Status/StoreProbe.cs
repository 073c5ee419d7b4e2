using System.Text;

namespace Geo;

/// <summary>Asks one store whether it answers; one question at a time, however many want to know.</summary>
internal sealed class StoreProbe(string name, IConditionalStore store, TimeProvider time)
{
    private readonly Lock _gate = new();
    private Task<Found> _asking = Task.FromResult<Found>(default);
    private long _askedAt;

    /// <inheritdoc cref="IGeoStatus.AskStoresAsync"/>
    public async Task<StoreAnswer> AskAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        Task<Found> asking;
        long askedAt;
        lock (_gate)
        {
            if (_asking.IsCompleted)
            {
                (_asking, _askedAt) = (FindAsync(), time.GetTimestamp());
            }

            (asking, askedAt) = (_asking, _askedAt);
        }

        var ended = await asking.EndsWithinAsync(LongestWait.Clamp(timeout), time, cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        var taken = time.GetElapsedTime(askedAt);
        var found = ended ? await asking : new($"it has not answered for {taken.TotalSeconds:0.###} s", null);
        return new(name, taken, found.Trouble, found.Identity);
    }

    private async Task<Found> FindAsync()
    {
        // Not under the lock: a store that blocks holds up nobody but the first who asks.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            var read = await store.ReadAsync(StoreIdentity.Key);
            return read.Outcome switch
            {
                StoreReadOutcome.Found => new(null, Encoding.ASCII.GetString(read.Value.Span)),
                StoreReadOutcome.NotFound => default,
                _ => new(read.Reason, null),
            };
        }
        catch (Exception e)
        {
            // Whatever a store throws is its trouble, not that of whoever asks how it is.
            return new(e.Message, null);
        }
    }

    private readonly record struct Found(string? Trouble, string? Identity);
}
