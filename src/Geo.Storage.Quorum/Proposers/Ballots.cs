namespace Geo.Storage.Quorum;

/// <summary>
/// The ballots of one start of a process. The counter is not behind the time of day, in microseconds, so that what was promised to others
/// some time ago seldom refuses a ballot: who is refused has somebody beside it. That they grow and are never used twice does not depend on
/// any clock.
/// </summary>
internal sealed class Ballots(ulong proposer, TimeProvider time)
{
    private long _last;

    // How far ahead a ballot may be at most: what is promised to it binds those who come after it.
    private static readonly TimeSpan MostAhead = TimeSpan.FromSeconds(10);

    private const int MaxDoublings = 10;

    /// <summary>A ballot above all that this process has used or seen.</summary>
    /// <param name="version">Of the list.</param>
    /// <param name="attempt">
    /// The number of the attempt: the more ballots have been refused, the further ahead is the next one. A process that writes all the time
    /// is promised later and later ballots while one that was above the last is on its way, which would be refused again and again.
    /// </param>
    /// <param name="trip">How long that is on its way, and back.</param>
    public Ballot Next(long version, int attempt = 1, TimeSpan trip = default)
    {
        var now = time.GetUtcNow().UtcTicks / TimeSpan.TicksPerMicrosecond;
        var ahead = attempt == 1 ? 0 : (long)BackOff.Doubled(Math.Min(attempt - 1, MaxDoublings), 2 * trip, MostAhead).TotalMicroseconds;
        for (var last = Volatile.Read(ref _last); ; last = Volatile.Read(ref _last))
        {
            var next = Math.Max(now, last + 1) + ahead;
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
