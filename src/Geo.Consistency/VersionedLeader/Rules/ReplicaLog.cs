using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// The decisions of a grain's leaders up to one of them, as one value: the state they made, and which of whose updates are among them.
/// </summary>
/// <param name="Starts">
/// The newest terms of its history that made versions, oldest first, and the term of the log itself last; empty before any leader.
/// </param>
/// <param name="Step">How many groups of updates were decided, refused ones included: grows with every decision, over all terms.</param>
/// <param name="Version">How many updates were applied.</param>
/// <param name="Applied">The last decision on each instance's updates; see <see cref="BatchNumber"/>.</param>
/// <param name="State">The state's bytes; none for version 0.</param>
internal sealed record ReplicaLog(
    ImmutableArray<TermStart> Starts, long Step, long Version, AppliedTable Applied, ReadOnlyMemory<byte> State)
{
    // Enough to tell an instance that was cut off for as many leaders whether its conditions hold.
    internal const int MaxStarts = 8;

    internal static readonly ReplicaLog Nothing = new([], 0, 0, AppliedTable.Empty, default);

    /// <summary>The term of the log.</summary>
    internal Term At => Starts.IsEmpty ? default : Starts[^1].Term;

    /// <summary>
    /// By term and step, not by version: a refusal makes no version, and a later leader's history wins over a longer one of an earlier.
    /// </summary>
    internal bool IsNewerThan(Term at, long step) =>
        LeaderRules.IsOff(LeaderRule.Order) ? Step > step : At > at || (At == at && Step > step);

    internal bool IsNewerThan(ReplicaLog other) => IsNewerThan(other.At, other.Step);

    /// <summary>A version of this history with the term that made it; null where that is forgotten or it is no version of it.</summary>
    internal VersionBase? BaseOf(long version)
    {
        if (version == 0)
        {
            return default(VersionBase);
        }

        for (var i = Starts.Length - 1; i >= 0 && version <= Version; i--)
        {
            if (Starts[i].Version < version)
            {
                return new(Starts[i].Term, version);
            }
        }

        return null;
    }

    /// <summary>The same decisions, to which a new leader adds.</summary>
    internal ReplicaLog Begin(Term term)
    {
        // A term that made no version tells nothing of any.
        var made = !Starts.IsEmpty && Starts[^1].Version == Version ? Starts.RemoveAt(Starts.Length - 1) : Starts;
        made = made.Length >= MaxStarts ? made.RemoveRange(0, made.Length - MaxStarts + 1) : made;
        return this with { Starts = made.Add(new(term, Version)) };
    }
}
