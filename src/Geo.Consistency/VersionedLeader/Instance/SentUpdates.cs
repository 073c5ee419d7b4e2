namespace Geo.Consistency;

/// <summary>
/// Which of an instance's updates may have been decided without its knowledge, and what was known when the first of them was sent.
/// </summary>
/// <param name="Through">The number of the newest update that was ever sent or decided here.</param>
/// <param name="Since">The newest step known to be confirmed when the oldest of those that are unresolved was.</param>
internal readonly record struct SentUpdates(long Through, long Since)
{
    /// <summary>True where one of the updates from a number on may have been decided before.</summary>
    internal bool AreInDoubt(long first) => Through >= first;

    /// <summary>
    /// The number of the newest update whose decision a log may have forgotten, so that only the leader's answer, or its absence, tells of
    /// it; 0 where the log would know.
    /// </summary>
    internal long ForgottenThrough(AppliedTable applied, long instance) =>
        applied.TryGetNumber(instance, out _) || applied.ForgottenThrough <= Since ? 0 : Through;

    /// <summary>So many updates from a number on are about to be sent, or decided here.</summary>
    internal SentUpdates With(long first, int count, long known) =>
        count == 0 ? this : new(Math.Max(Through, first + count - 1), AreInDoubt(first) ? Since : known);
}
