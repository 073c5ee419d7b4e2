namespace Geo.Storage.Quorum;

/// <summary>
/// How the acceptors of a register change while it is used: rules R5, R15 and R16 of the design of regions, as pure functions. One cluster
/// comes or goes at a time, so that the majorities of neighbouring versions meet, and the next change waits until every key was written
/// under the last.
/// </summary>
internal static class KeeperRules
{
    /// <summary>
    /// What an acceptor keeps of itself when it is told of a list. It keeps the first list of all that names its store, or one that came
    /// after it, which was decided; and later ones of the same register, also those that do not name its store: then it tells others of
    /// them, and takes no part in beginning another register. From then on it takes nothing below the version for a key without a value
    /// (R16). One that took the register's place by force is later, and never the other way round: what lost clusters have decided since,
    /// or decide when they return, counts nowhere that has heard of it (C13). Its floor stays when it is emptied: a silo that works with a
    /// list from before, of a register that was given up, may have a ballot of that list yet, and the list that takes the store in is
    /// above it (<see cref="StoreList.Next"/>).
    /// </summary>
    public static AcceptorMeta TakeOver(AcceptorMeta meta, ClusterId cluster, StoreList list)
    {
        var isNews = meta.Rows != AcceptorRows.Clearing
            && (meta.Kept is { } kept
                ? list.Supersedes(kept)
                : list.Version > 1 || list.Names(cluster, meta.Store));
        return !isNews ? meta : meta with
        {
            Kept = list,
            Floor = list.Version == 1 || SwitchedOff.Is(ProtocolRule.LaterListBinds) ? meta.Floor : Ballot.Max(meta.Floor, list.Beginning),

            // Of what was forgotten before it came it knows nothing.
            Forgotten = list.Version == 1 || meta is { Kept: not null, IsFresh: false }
                || SwitchedOff.Is(ProtocolRule.NewcomerDoesNotVouch)
                ? meta.Forgotten
                : Ballot.Max(meta.Forgotten, list.Beginning),
            Rows = list.Names(cluster, meta.Store) ? AcceptorRows.Used : meta.Rows,
        };
    }

    /// <summary>What an acceptor keeps of itself before keys that were promised a ballot at most are forgotten (R12).</summary>
    public static AcceptorMeta RaiseFloor(AcceptorMeta meta, Ballot floor) =>
        meta with { Floor = Ballot.Max(meta.Floor, floor), Forgotten = Ballot.Max(meta.Forgotten, floor) };

    /// <summary>
    /// What an acceptor keeps of itself when it is to be emptied before it is taken in: a name that no list has, if no list names its store
    /// as far as it knows. Also where it kept none: an earlier change, of which it was not told, may have named the store. And the list of
    /// the register that takes it in, unless it knows a later one: it may have heard of another register, which keeps nothing there any
    /// more, and would follow none of this one's lists.
    /// </summary>
    public static AcceptorMeta BeginToClear(AcceptorMeta meta, ClusterId cluster, Guid name, StoreList now)
    {
        if (meta.Kept?.Names(cluster, meta.Store) == true || now.Names(cluster, meta.Store))
        {
            return meta;
        }

        var told = meta.Kept is { } kept && (kept.Digest == now.Digest || kept.Supersedes(now)) ? meta : meta with { Kept = now };
        return meta.Rows == AcceptorRows.Used ? told with { Store = name, Rows = AcceptorRows.Clearing } : told;
    }

    /// <summary>
    /// True where a newcomer's store is to be emptied yet, or follows another register: unless a list names it, or it knows a later one.
    /// </summary>
    public static bool IsToClear(MetReply met, StoreList now) =>
        met.HasStore && met.Kept?.Names(met.Cluster, met.Store) != true && met.Kept?.Supersedes(now) != true
        && (!met.IsFresh || (met.Kept is { } kept && kept.Digest != now.Digest && !now.Supersedes(kept)));

    /// <summary>
    /// Why clusters may not be given up by force; null where they may (rule C13). Every other keeper answers and keeps the same list, so
    /// that the survivors go on as one register, whoever asks for it first; none that is given up does; no majority is left; and nobody
    /// who is known may know a later list. Names of clusters that do not keep the store, and do not answer, are no hindrance.
    /// </summary>
    /// <param name="now">The latest list that is known.</param>
    /// <param name="lost">Whom the operator calls lost for ever.</param>
    /// <param name="met">What clusters have said of themselves after they were told of that list.</param>
    /// <param name="unheard">Who may know a later one (<see cref="Unheard"/>).</param>
    public static string? HindranceToForce(
        StoreList now, IReadOnlyCollection<ClusterId> lost, IReadOnlyList<MetReply> met, string? unheard)
    {
        var isNoneKept = !lost.Any(now.Stores.ContainsKey);
        if (lost.FirstOrDefault(c => !now.Stores.ContainsKey(c) && (isNoneKept || met.Any(m => m.Cluster == c))) is
            { IsNone: false } unknown)
        {
            return $"cluster {unknown} does not keep the store, which [{string.Join(", ", now.Stores.Keys)}] do";
        }

        var answering = now.Stores.Keys.Where(c => met.Any(m => m.Cluster == c && now.Names(c, m.Store))).ToList();
        if (answering.Count >= now.Majority)
        {
            return $"a majority answers, [{string.Join(", ", answering)}]: take clusters out one after the other, which risks nothing";
        }

        if (answering.FirstOrDefault(lost.Contains) is { IsNone: false } living)
        {
            return NotLost(living);
        }

        var left = now.Stores.Keys.Except(lost).ToList();
        return left.Count == 0 ? "no cluster would be left"
            : left.FirstOrDefault(c => !answering.Contains(c)) is { IsNone: false } silent
                ? Silent(silent)
            : left.FirstOrDefault(c => met.Any(m => m.Cluster == c && m.Kept?.Digest != now.Digest)) is { IsNone: false } apart
                ? $"cluster {apart} keeps another list of stores ({met.First(m => m.Cluster == apart).Kept}; here: {now})"
            : unheard;
    }

    /// <summary>
    /// Why clusters that were told of different losses may not go on as one; null where they may. As above: all that are left of any of
    /// their lists answer, each with its own store and a list that the joint one comes after; and none that is called lost does.
    /// </summary>
    /// <param name="apart">Forced lists of which none came after the other.</param>
    /// <param name="lost">Whom the operator calls lost for ever.</param>
    /// <param name="met">What clusters have said of themselves.</param>
    /// <param name="unheard">Who may know a later one (<see cref="Unheard"/>).</param>
    public static string? HindranceToJoin(
        IReadOnlyCollection<StoreList> apart, IReadOnlyCollection<ClusterId> lost, IReadOnlyList<MetReply> met, string? unheard)
    {
        var (all, joined) = (StoreList.Joined(apart, []), StoreList.Joined(apart, lost));
        var answering = met.Where(m => all.Names(m.Cluster, m.Store) && m.Kept is { } kept && all.Supersedes(kept))
            .Select(m => m.Cluster).ToList();
        var hindrance = answering.FirstOrDefault(lost.Contains) is { IsNone: false } living
                ? NotLost(living)
            : joined.Stores.IsEmpty ? "no cluster would be left"
            : joined.Stores.Keys.FirstOrDefault(c => !answering.Contains(c)) is { IsNone: false } silent
                ? Silent(silent)
            : unheard;
        return hindrance is null ? null : $"{hindrance} (different clusters were given up at the same time: {string.Join("; ", apart)})";
    }

    /// <summary>
    /// Which of some lists of which none came after the other goes on by itself, so that there is nothing to force; null where they are to
    /// be joined: all of them are forced, so that none serves, and none is kept by all of its clusters.
    /// </summary>
    /// <param name="apart">The lists.</param>
    /// <param name="isKnown">Whether this process has heard of it last.</param>
    /// <param name="met">What clusters have said of themselves.</param>
    public static StoreList? GoesOn(IReadOnlyCollection<StoreList> apart, Func<StoreList, bool> isKnown, IReadOnlyList<MetReply> met) =>
        apart.Where(list => !list.IsForced || list.Stores.Keys.All(c => met.Any(m => Keeps(m, c, list)))).OrderBy(isKnown).LastOrDefault();

    /// <summary>Why there is nothing to force where one of the lists goes on by itself: what to do with the others.</summary>
    public static string HindranceOfOthers(StoreList ours, IReadOnlyCollection<StoreList> apart, IReadOnlyList<MetReply> met)
    {
        var others = met.Where(m => m.Kept is { } kept && kept.Digest != ours.Digest && !ours.Supersedes(kept))
            .Select(m => m.Cluster);
        return $"[{string.Join(", ", ours.Stores.Keys)}] go on by themselves, and [{string.Join(", ", others.Order())}] keep another "
            + $"register: empty their stores by hand while they are stopped, and add them ({string.Join("; ", apart)})";
    }

    /// <summary>The highest version that any of some stores has promised.</summary>
    public static long Promised(IEnumerable<KeyValuePair<ClusterId, Guid>> stores, IReadOnlyList<MetReply> met) =>
        met.Where(m => stores.Contains(KeyValuePair.Create(m.Cluster, m.Store))).Select(m => Math.Max(m.Promised, m.Kept?.Version ?? 0))
            .DefaultIfEmpty().Max();

    /// <summary>
    /// The list that takes the place of a forced one which all of its clusters keep, and under which one of them takes nothing, for it has
    /// promised a higher version: to others that went on without it before it heard of the list. Null where there is none such. Whoever
    /// asks makes the same list.
    /// </summary>
    /// <param name="forced">The forced list.</param>
    /// <param name="met">What its clusters have said of themselves after they were told of it.</param>
    public static StoreList? Above(StoreList forced, IReadOnlyList<MetReply> met) =>
        forced.IsForced && forced.Stores.Keys.All(c => met.Any(m => Keeps(m, c, forced)))
        && Promised(forced.Stores, met) is var promised && promised > forced.Version
            ? StoreList.Joined([forced], [], promised)
            : null;

    private static string NotLost(ClusterId cluster) =>
        $"cluster {cluster} answers, with the store that it was taken in with: it is not lost";

    private static string Silent(ClusterId cluster) =>
        $"cluster {cluster} does not answer, or has lost its own store, and all that are left must agree; if it is lost too, name it "
        + "together with the others";

    private static bool Keeps(MetReply met, ClusterId cluster, StoreList list) =>
        met.Cluster == cluster && list.Names(cluster, met.Store) && met.Kept?.Digest == list.Digest;

    /// <summary>Who may know a later list than any that is known; null where nobody may.</summary>
    /// <param name="silent">Who of all that are known has said nothing, and is not called lost.</param>
    /// <param name="others">Who of them uses the store by other settings.</param>
    public static string? Unheard(IReadOnlyCollection<ClusterId> silent, IReadOnlyCollection<ClusterId> others) =>
        silent.Count == 0 && others.Count == 0 ? null
            : silent.Count == 0
            ? $"[{string.Join(", ", others)}] have other settings of the store (its {nameof(QuorumConfiguration)}), and may know a later "
                + "list of those that keep it: correct or stop them, or name them together with the others"
            : $"[{string.Join(", ", silent)}] do not answer, and may know a later list of those that keep the store: start them, or name "
                + "them together with the others if they are lost, too";

    /// <summary>Why a list may not follow the present one; null where it may.</summary>
    /// <param name="now">The present list, as it is decided.</param>
    /// <param name="next">The list that is to follow.</param>
    /// <param name="met">What the acceptors of both have said of themselves.</param>
    public static string? Hindrance(KeptList now, StoreList next, IReadOnlyList<MetReply> met)
    {
        var changed = now.Stores.Stores.Keys.Union(next.Stores.Keys)
            .Where(c => !next.Stores.TryGetValue(c, out var store) || !now.Stores.Names(c, store)).ToList();
        if (changed.Count != 1 && !SwitchedOff.Is(ProtocolRule.OneKeeperAtATime))
        {
            return "one cluster comes or goes at a time (rule R15)";
        }

        if (!now.IsSettled && !SwitchedOff.Is(ProtocolRule.ListIsSettled))
        {
            return $"not every key is written by the clusters [{string.Join(", ", now.Stores.Stores.Keys)}] yet (rule R16)";
        }

        if (next.Stores.Count == 0)
        {
            return "it is the only cluster that keeps the store";
        }

        foreach (var came in changed.Where(next.Stores.ContainsKey))
        {
            if (met.FirstOrDefault(m => m.Cluster == came) is not { } newcomer || newcomer.Store != next.Stores[came])
            {
                return $"cluster {came} does not answer: start its silos first, with a store of their own for this one";
            }

            if (!newcomer.HasStore)
            {
                return $"cluster {came} has no store of its own for this one: give it one, and start its silos again";
            }

            if (!newcomer.IsFresh && !SwitchedOff.Is(ProtocolRule.NewcomerIsEmpty))
            {
                return $"the store of cluster {came} is not empty (rule R5)";
            }
        }

        var there = next.Stores.Keys.Where(c => met.Any(m => m.Cluster == c && next.Names(c, m.Store))).ToList();
        return there.Count >= next.Majority ? null
            : $"of the clusters [{string.Join(", ", next.Stores.Keys)}] {next.Majority} must answer afterwards, and "
                + $"{(there.Count == 0 ? "none does" : $"only {string.Join(", ", there)} {(there.Count == 1 ? "does" : "do")}")} now";
    }
}
