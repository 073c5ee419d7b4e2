namespace Geo.Storage.Quorum;

/// <summary>
/// The ballots of one start of a process. The counter begins at the time of day, in microseconds, so that the first one is seldom refused;
/// that they grow and are never used twice does not depend on any clock.
/// </summary>
internal sealed class Ballots(ulong proposer, TimeProvider time)
{
    private long _last = Math.Max(0, time.GetUtcNow().UtcTicks / TimeSpan.TicksPerMicrosecond);

    // How far ahead a ballot may be at most: counters last for ever all the same.
    private const int MaxDoublings = 16;

    /// <summary>A ballot above all that this process has used or seen.</summary>
    /// <param name="version">Of the configuration.</param>
    /// <param name="attempt">
    /// The number of the attempt: the more ballots have been refused, the further ahead is the next one. A process that writes much uses up
    /// ballots while one that is just above the last that was seen is on its way, which would be refused again and again.
    /// </param>
    public Ballot Next(long version, int attempt = 1) =>
        new(version, Interlocked.Add(ref _last, 1L << Math.Min(attempt - 1, MaxDoublings)), proposer);

    /// <summary>A ballot has been seen: the next one is above it.</summary>
    public void Seen(Ballot ballot)
    {
        for (var last = Volatile.Read(ref _last); ballot.Counter > last; last = Volatile.Read(ref _last))
        {
            Interlocked.CompareExchange(ref _last, ballot.Counter, last);
        }
    }
}
