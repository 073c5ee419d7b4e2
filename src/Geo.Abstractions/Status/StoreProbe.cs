using System.Text;

namespace Geo;

/// <summary>
/// Asks one store whether it answers; one question at a time, however many want to know. A question whose answer got lost is given up
/// after a while, a bounded number of times: a store that heeds no token keeps what it was asked.
/// </summary>
internal sealed class StoreProbe(string name, IConditionalStore store, TimeProvider time)
{
    /// <summary>How long a question is waited for before another one is put.</summary>
    public static readonly TimeSpan GivenUpAfter = TimeSpan.FromMinutes(1);

    /// <summary>How many questions may be given up that have not ended.</summary>
    public const int MostGivenUp = 8;

    private readonly Lock _gate = new();
    private Task<Found> _asking = Task.FromResult<Found>(default);
    private long _askedAt;
    private int _open;

    /// <inheritdoc cref="IGeoStatus.AskStoresAsync"/>
    public async Task<StoreAnswer> AskAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        Task<Found> asking;
        long askedAt;
        lock (_gate)
        {
            if (_asking.IsCompleted || (time.GetElapsedTime(_askedAt) >= GivenUpAfter && _open <= MostGivenUp))
            {
                _open++;
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
        using var limit = new CancellationTokenSource(GivenUpAfter, time);
        try
        {
            var read = await store.ReadAsync(StoreIdentity.Key, limit.Token);
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
        finally
        {
            lock (_gate)
            {
                _open--;
            }
        }
    }

    private readonly record struct Found(string? Trouble, string? Identity);
}
