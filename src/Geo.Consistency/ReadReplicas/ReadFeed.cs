using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// Keeps the copy of one read replica up to date: asks the grain's instance four times within the bound, while the copy is read. Started
/// and ended on the replica's scheduler; the copy is looked at on any thread.
/// </summary>
/// <param name="key">The grain.</param>
/// <param name="declaration">What its class asks for.</param>
/// <param name="options">The silo's limits.</param>
/// <param name="time">Both clocks.</param>
/// <param name="ask">Asks the instance, wherever it is.</param>
/// <param name="onUnused">Called when nobody has read the copy for long.</param>
/// <param name="logger">The log.</param>
internal sealed class ReadFeed(
    GrainKey key, ReadReplicaDeclaration declaration, ReadReplicaOptions options, TimeProvider time,
    Func<byte[], CancellationToken, Task<byte[]>> ask, Action onUnused, ILogger logger) : IDisposable
{
    private const int PollsInBound = 4;

    private readonly CancellationTokenSource _stop = new();
    private readonly TimeSpan _limit = ReadCopyRules.LimitOf(declaration.MaxStaleness);
    private readonly TimeSpan _keepFor = options.KeepFor > declaration.MaxStaleness ? options.KeepFor : declaration.MaxStaleness;
    private ReadCopy? _copy;
    private long _usedAt = time.GetTimestamp();
    private long _poll;

    /// <summary>The copy; null until the instance has answered.</summary>
    internal ReadCopy? Copy => Volatile.Read(ref _copy);

    public void Dispose() => _stop.Cancel();

    /// <summary>Begins to ask.</summary>
    internal void Start() => _ = RunAsync();

    /// <summary>
    /// Looks for a call whether the copy may answer it, which counts as use: the copy is kept up to date from now on. Gives neither a copy
    /// nor a refusal where the call is to go to the instance.
    /// </summary>
    internal (ReadCopy? Copy, GeoUnavailableException? Refusal) Look()
    {
        Volatile.Write(ref _usedAt, time.GetTimestamp());
        return Copy is not { } copy ? (null, null) : copy.IsFresh(time) ? (copy, null) : (null, Miss(isStale: true));
    }

    /// <summary>The copy does not answer a call. Gives why the call is refused; null where it is to go to the instance.</summary>
    /// <param name="isStale">True because the copy is too old, false because the call asks for what no copy has.</param>
    internal GeoUnavailableException? Miss(bool isStale)
    {
        ConsistencyMetrics.ReadReplicaMisses.Add(1);
        return isStale && declaration.OnStale == StaleRead.Throw ? Stale() : null;
    }

    private async Task RunAsync()
    {
        try
        {
            while (time.GetElapsedTime(Volatile.Read(ref _usedAt)) <= _keepFor)
            {
                _ = PollAsync();
                await Task.Delay(declaration.MaxStaleness / PollsInBound, time, _stop.Token);
            }

            onUnused();
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The replica ended.
        }
    }

    private async Task PollAsync()
    {
        var (number, sentAt, known) = (++_poll, TwoClocks.Of(time), _copy);
        try
        {
            // An answer that comes later is of no use.
            using var patience = new CancellationTokenSource(declaration.MaxStaleness, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, _stop.Token);
            ConsistencyMetrics.ReadReplicaPolls.Add(1);
            var poll = new ReadFeedPoll(
                known is not null, known?.History ?? 0, known?.Version ?? 0, known?.Edition ?? 0,
                declaration.MaxStaleness / PollsInBound);
            var answer = ReadFeedAnswer.Read(await ask(poll.Write(), either.Token));
            Volatile.Write(ref _copy, ReadCopyRules.On(_copy, answer, number, sentAt, TwoClocks.Of(time), _limit));
        }
        catch (OperationCanceledException)
        {
            // It did not answer in time, or the replica ended: the copy grows older.
        }
        catch (Exception e)
        {
            ViewLog.ReadReplicaNotFed(logger, e, key);
        }
    }

    private GeoUnavailableException Stale() => new(
        $"The read replica of {key} is older than {declaration.MaxStaleness} (MaxStaleness): the grain's instance has not answered for so "
        + "long. The call was not executed.");
}
