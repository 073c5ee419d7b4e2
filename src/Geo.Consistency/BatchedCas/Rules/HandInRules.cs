using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// The rules by which an instance that loses its compare-and-swaps hands its updates in to the one that wins them, which writes them with
/// its own: so a writer far from the storage has its share beside a near one.
/// </summary>
internal static class HandInRules
{
    /// <summary>True when an instance is better off with the last writer than with a write of its own.</summary>
    internal static bool Asks(CasState state, ClusterId local, CasPace pace, TimeSpan now, int after) =>
        !state.Writer.IsNone && state.Writer.Cluster != local && pace.OwnFirst == 0
        && (state.Conflicts >= after || pace.IsContended(now));

    /// <summary>
    /// True when an instance has nothing to write and had better learn the latest version from the last writer than from storage, which has
    /// enough to do: it takes little longer.
    /// </summary>
    internal static bool AsksForVersion(CasState state, ClusterId local, CasPace pace, TimeSpan now) =>
        state is { IsLoaded: true, MustRead: false, IsFaulted: false } && !state.Writer.IsNone && state.Writer.Cluster != local
        && pace.OwnFirst == 0 && pace.IsContended(now) && pace.IsHelpNear;

    /// <summary>
    /// How many of the oldest groups may be handed in together: through the first condition. One that was raised on top of it may come to
    /// hold by number on another update in its place, and the hand-in arrive when the instance has refused both.
    /// </summary>
    internal static int Offered(IReadOnlyList<HandInGroup> groups)
    {
        var count = 0;
        while (count < groups.Count && groups[count++].Expected is null | CasRules.IsOff(CasRule.OneCondition))
        {
        }

        return count;
    }

    /// <summary>True when an instance writes for others: it wrote last.</summary>
    internal static bool Helps(CasState state, long instance) =>
        state is { IsLoaded: true, IsFaulted: false } && state.Writer.Instance == instance;

    /// <summary>True when the row holds all that a guest has handed in.</summary>
    internal static bool IsIn(CasState state, HandIn guest) =>
        state.Applied.TryGetNumber(guest.Instance, out var number) && number >= guest.Last;

    /// <summary>
    /// How many of its own updates an instance writes at a time beside those of its guests: where the room is short, nobody's share is
    /// smaller than another's unless there is no more of it.
    /// </summary>
    internal static int OwnShare(int own, IReadOnlyList<HandIn> guests, int room) => Shares([own, .. guests.Select(g => g.Count)], room)[0];

    /// <summary>What one write carries, on top of the version known.</summary>
    /// <param name="state">What is known.</param>
    /// <param name="writer">Who writes.</param>
    /// <param name="own">How many of the oldest own updates.</param>
    /// <param name="through">The number of the last of them.</param>
    /// <param name="guests">What guests have handed in, in the order of their turns.</param>
    /// <param name="room">How many updates one write carries at most.</param>
    /// <param name="maxInstances">How many numbers are kept.</param>
    /// <param name="gaps">Which of the writer's own updates are, or may be, in no version.</param>
    internal static CasBatch Compose(
        CasState state, CasWriter writer, int own, long through, IReadOnlyList<HandIn> guests, int room, int maxInstances,
        UpdateGaps? gaps = null)
    {
        var taken = ImmutableArray.CreateBuilder<CasTake>(guests.Count);
        var numbers = new List<(long Instance, long Number, UpdateGaps? Gaps)>(guests.Count + 1);
        var version = state.Version + own;
        var shares = Shares([.. guests.Select(g => g.Count)], room - own);
        for (var i = 0; i < guests.Count; i++)
        {
            var (take, last) = Take(state, version, guests[i], i, shares[i]);
            taken.Add(take);
            if (take.Count > 0)
            {
                version += take.Count;
                numbers.Add((guests[i].Instance, last, guests[i].Gaps));
            }
        }

        if (own > 0)
        {
            numbers.Add((writer.Instance, through, gaps));
        }

        var applied = state.Applied;
        foreach (var (instance, number, without) in numbers)
        {
            // All are entered with the version that the write makes: what it displaces it must not pass for older than it is.
            applied = CasRules.IsOff(CasRule.Stamp) && instance != writer.Instance
                ? applied
                : applied.With(instance, number, version, maxInstances, without);
        }

        return new(version, applied, writer, own, taken.ToImmutable());
    }

    private static (CasTake Take, long Last) Take(CasState state, long version, HandIn guest, int place, int share)
    {
        var isKnown = state.Applied.TryGetNumber(guest.Instance, out var number);
        if (!isKnown && state.Applied.ForgottenThrough > guest.Since && !CasRules.IsOff(CasRule.Forgotten))
        {
            // They may be in already; only the guest knows what it knew before.
            return (new(place, 0, 0), 0);
        }

        var (skip, count, last) = (0, 0, 0L);
        foreach (var group in guest.Groups)
        {
            if (isKnown && group.First <= number && !CasRules.IsOff(CasRule.Sequence))
            {
                skip += group.Count;
                continue;
            }

            var holds = group.Expected is not { } expected || expected == version + count || CasRules.IsOff(CasRule.Condition);
            if (!holds || count + group.Count > share)
            {
                break;
            }

            count += group.Count;
            last = group.Last;
        }

        return (new(place, skip, count), last);
    }

    /// <summary>Divides room: the least wishes first, each up to an equal part of what is left.</summary>
    private static int[] Shares(int[] wishes, int room)
    {
        var shares = new int[wishes.Length];
        var left = wishes.Length;
        foreach (var i in Enumerable.Range(0, wishes.Length).OrderBy(i => wishes[i]))
        {
            shares[i] = Math.Min(wishes[i], room / left--);
            room -= shares[i];
        }

        return shares;
    }
}
