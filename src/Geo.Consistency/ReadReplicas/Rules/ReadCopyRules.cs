namespace Geo.Consistency;

/// <summary>What a read replica makes of the answers of the grain's instance.</summary>
internal static class ReadCopyRules
{
    /// <summary>By how much one clock may go faster than another.</summary>
    internal const double ClockError = 0.001;

    [ThreadStatic]
    private static ReadCopyRule? _off;

    /// <summary>Switches one rule off on this thread, and all others on; only in tests.</summary>
    internal static void SwitchOff(ReadCopyRule? rule) => _off = rule;

    internal static bool IsOff(ReadCopyRule rule) => _off == rule;

    /// <summary>How old a copy may be by a clock that may be slow.</summary>
    internal static TimeSpan LimitOf(TimeSpan maxStaleness) =>
        IsOff(ReadCopyRule.Rate) ? maxStaleness : maxStaleness / (1 + ClockError);

    /// <summary>The copy after an answer.</summary>
    /// <param name="copy">The copy before; null for none.</param>
    /// <param name="answer">The answer.</param>
    /// <param name="poll">The number of the question.</param>
    /// <param name="sentAt">When the question was sent: the answer was made later.</param>
    /// <param name="receivedAt">When the answer came. What it says may be older by as long as it was under way.</param>
    /// <param name="limit">How old a copy may be (<see cref="LimitOf"/>).</param>
    internal static ReadCopy? On(
        ReadCopy? copy, in ReadFeedAnswer answer, long poll, TwoClocks sentAt, TwoClocks receivedAt, TimeSpan limit)
    {
        // By the instance's clock, which may be slow.
        var age = IsOff(ReadCopyRule.Age) ? TimeSpan.Zero : answer.Age * (1 + (2 * ClockError));
        var asOf = (IsOff(ReadCopyRule.Echo) ? receivedAt : sentAt).Before(age);
        var answered = answer.State is { } state
            ? new ReadCopy(answer.History, answer.Version, answer.Edition, state, asOf, receivedAt, poll, limit) : null;
        if (copy is null)
        {
            return answered;
        }

        if (answer.History != copy.History)
        {
            // Of two instances the one counts that was asked later.
            return answered is not null && poll > copy.Poll ? answered : copy;
        }

        if (answer.Version > copy.Version)
        {
            return answered is null ? copy : answered with { Poll = Math.Max(poll, copy.Poll) };
        }

        if (answer.Version < copy.Version || answer.Edition != copy.Edition)
        {
            // The newer version, or another one of this number, was known before this one was looked for, and yet it is not there: the
            // store was set back. Otherwise this one may be the older.
            var isReplaced = asOf.IsAfter(copy.KnownAt) && !IsOff(ReadCopyRule.Replaced);
            return answered is not null && (isReplaced || IsOff(ReadCopyRule.Newest)) ? answered
                : copy with { Poll = Math.Max(poll, copy.Poll) };
        }

        return copy with { AsOf = asOf.IsAfter(copy.AsOf) ? asOf : copy.AsOf, Poll = Math.Max(poll, copy.Poll) };
    }
}
