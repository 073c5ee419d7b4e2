namespace Geo.Storage.Quorum;

/// <summary>
/// The ballots of one start of a process. The counter is not behind the time of day, in microseconds, so that what was promised to others
/// some time ago seldom refuses a ballot: who is refused has somebody beside it. That they grow and are never used twice does not depend on
/// any clock.
/// </summary>
internal sealed class Ballots(ulong proposer, TimeProvider time)
{
    private long _last;

    // How far ahead a ballot may be at most: counters last for ever all the same.
    private const int MaxDoublings = 16;

    /// <summary>A ballot above all that this process has used or seen.</summary>
    /// <param name="version">Of the configuration.</param>
    /// <param name="attempt">
    /// The number of the attempt: the more ballots have been refused, the further ahead is the next one. A process that writes much uses up
    /// ballots while one that is just above the last that was seen is on its way, which would be refused again and again.
    /// </param>
    public Ballot Next(long version, int attempt = 1)
    {
        var (now, ahead) = (time.GetUtcNow().UtcTicks / TimeSpan.TicksPerMicrosecond, 1L << Math.Min(attempt - 1, MaxDoublings));
        for (var last = Volatile.Read(ref _last); ; last = Volatile.Read(ref _last))
        {
            var next = Math.Max(now, last + ahead);
            if (Interlocked.CompareExchange(ref _last, next, last) == last)
            {
                return new(SwitchedOff.Is(ProtocolRule.BallotNamesItsList) ? 1 : version, next, proposer);
            }
        }
    }

    /// <summary>A ballot has been seen: the next one is above it.</summary>
    public void Seen(Ballot ballot)
    {
        for (var last = Volatile.Read(ref _last); ballot.Counter > last; last = Volatile.Read(ref _last))
        {
            Interlocked.CompareExchange(ref _last, ballot.Counter, last);
        }
    }
}
