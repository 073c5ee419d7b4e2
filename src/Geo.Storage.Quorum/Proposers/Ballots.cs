namespace Geo.Storage.Quorum;

/// <summary>
/// The ballots of one start of a process. The counter begins at the time of day, in microseconds, so that the first one is seldom refused;
/// that they grow and are never used twice does not depend on any clock.
/// </summary>
internal sealed class Ballots(ulong proposer, TimeProvider time)
{
    private long _last = Math.Max(0, time.GetUtcNow().UtcTicks / TimeSpan.TicksPerMicrosecond);

    /// <summary>A ballot above all that this process has used or seen.</summary>
    public Ballot Next(long version) =>
        new(SwitchedOff.Is(ProtocolRule.BallotNamesItsList) ? 1 : version, Interlocked.Increment(ref _last), proposer);

    /// <summary>A ballot has been seen: the next one is above it.</summary>
    public void Seen(Ballot ballot)
    {
        for (var last = Volatile.Read(ref _last); ballot.Counter > last; last = Volatile.Read(ref _last))
        {
            Interlocked.CompareExchange(ref _last, ballot.Counter, last);
        }
    }
}
