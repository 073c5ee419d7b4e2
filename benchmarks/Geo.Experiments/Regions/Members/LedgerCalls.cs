using System.Collections.Concurrent;
using System.Diagnostics;

namespace Geo.Experiments.Regions;

/// <summary>
/// Calls ledgers from a region all the time, one caller that writes and one that looks each, and keeps what became of it.
/// </summary>
/// <param name="firstId">The first entry of this region; no other one has it, or one of those after it.</param>
/// <param name="find">A ledger of the region.</param>
internal sealed class LedgerCalls(long firstId, Func<string, ILedger> find) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan PauseAfterFailure = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly ConcurrentQueue<LedgerCall> _calls = [];
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _callers = [];
    private long _lastId = firstId;

    /// <summary>Calls each ledger until it answers: of those that nobody has the instance is here from then on.</summary>
    public Task SettleAsync(IEnumerable<string> keys) => Task.WhenAll(keys.Select(async key =>
    {
        for (var began = Stopwatch.GetTimestamp(); (await LookAsync(key)).End != CallEnd.Answered;)
        {
            if (Stopwatch.GetElapsedTime(began) > Patience)
            {
                throw new TimeoutException($"The ledger {key} did not answer within {Patience}.");
            }

            await Task.Delay(PauseAfterFailure);
        }
    }));

    /// <summary>Begins to call more ledgers.</summary>
    public void Begin(IEnumerable<string> keys)
    {
        foreach (var key in keys)
        {
            // On the pool: the loops are the load.
            _callers.Add(Task.Run(() => CallAsync(() => AddAsync(key))));
            _callers.Add(Task.Run(() => CallAsync(() => LookAsync(key))));
        }
    }

    /// <summary>Makes no further call, waits for those under way, and gives all.</summary>
    public async Task<LedgerCall[]> EndAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_callers).WaitAsync(Patience);
        return [.. _calls];
    }

    /// <summary>What the ledgers hold.</summary>
    public async Task<Dictionary<string, long[]>> EntriesAsync(IEnumerable<string> keys)
    {
        var all = new Dictionary<string, long[]>(StringComparer.Ordinal);
        foreach (var key in keys)
        {
            all[key] = await find(key).Entries();
        }

        return all;
    }

    private async Task CallAsync(Func<Task<LedgerCall>> call)
    {
        while (!_end.IsCancellationRequested)
        {
            var made = await call();
            _calls.Enqueue(made);
            var pause = made.End == CallEnd.Answered ? Pause : PauseAfterFailure;
            await Task.Delay(pause, _end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private Task<LedgerCall> AddAsync(string key)
    {
        var id = Interlocked.Increment(ref _lastId);
        return MakeAsync(key, id, ledger => ledger.Add(id));
    }

    private Task<LedgerCall> LookAsync(string key) => MakeAsync(key, 0, ledger => ledger.Look());

    private async Task<LedgerCall> MakeAsync(string key, long id, Func<ILedger, Task<long[]>> call)
    {
        var made = new LedgerCall(key, id, Stopwatch.GetTimestamp(), 0, CallEnd.Answered);
        try
        {
            var served = Served.Of(await call(find(key)));
            made = made with { Epoch = served.Epoch, From = served.From, To = served.To };
        }
#pragma warning disable CA1031 // Whatever it is, only one kind says that nothing was done.
        catch (Exception error)
#pragma warning restore CA1031
        {
            made = made with { End = error is GeoUnavailableException ? CallEnd.Refused : CallEnd.Unknown, Why = error.Message };
        }

        return made with { Ended = Stopwatch.GetTimestamp() };
    }

    public void Dispose() => _end.Dispose();
}
