namespace Geo.Directory;

/// <summary>
/// The rules of the global single instance protocol (GEO section 3.2) as pure, total functions. Nothing else in Geo decides about a
/// directory entry; what calls them stores each new entry by one conditional write on the entry they were given.
/// </summary>
/// <remarks>
/// A Cached entry is stored as none, and remembered by the silo that learned it. Nobody can tell the difference: to a request both answer
/// Pass, a round begins from both alike, and a Cached entry may be dropped at any time (the exploration lets it).
/// </remarks>
internal static class GsiRules
{
    /// <summary>
    /// The global precedence order: true when a request of <paramref name="requester"/> wins over one of <paramref name="local"/>.
    /// </summary>
    public static bool HasPrecedence(ClusterId requester, ClusterId local) => requester > local;

    /// <summary>
    /// The state of an entry's node as far as the entry is concerned. An Owned entry that nothing has changed under is this cluster's
    /// whatever becomes of the node: another one takes it over when the first is gone, and no round is needed. What an earlier life of the
    /// cluster owned is not, for others could not ask meanwhile and may have instances; nor is what was owned on a configuration that
    /// lacked one of the clusters there are now (<see cref="RoundBasis.Covers"/>), for a node that slept through its coming has not asked
    /// it.
    /// </summary>
    /// <remarks>
    /// A requester that has an instance in doubt would end it for what it is pointed at, and what is dead is worth none: to it an Owned
    /// entry counts no more than its node. That of a node that is gone is void, and its cluster gives the grain up by the compare-and-swap
    /// that the reply waits for, unless another silo has taken it over first; of one that is not fenced off yet there is no answer. Either
    /// may befall any entry at any time without harm, as the exploration shows.
    /// </remarks>
    /// <param name="entry">The entry.</param>
    /// <param name="node">The state of its node.</param>
    /// <param name="present">What a round would be run on now.</param>
    /// <param name="since">The version of the configuration since which no cluster has come.</param>
    /// <param name="requesterHasInstance">Whether it is looked at for another cluster, which has an instance in doubt.</param>
    public static NodeState NodeOf(
        GsiEntry entry, NodeState node, RoundBasis present, long since, bool requesterHasInstance = false) =>
        entry.State == GsiState.Owned && (entry.Basis.Covers(present, since) || SwitchedOff.Is(ProtocolRule.BasisIsCompared))
        && (!requesterHasInstance || SwitchedOff.Is(ProtocolRule.LivingIsPreferred))
        && !SwitchedOff.Is(ProtocolRule.OwnedIsTakenOver)
            ? NodeState.Living
            : node;

    /// <summary>
    /// Whether the node of an entry has to be asked if it has an instance, before a requester that has one in doubt is pointed there: what
    /// was taken for another cluster may not have been called since, and a living instance would end for none. One that says no gives the
    /// entry up as after any instance's end.
    /// </summary>
    /// <param name="entry">The entry.</param>
    /// <param name="node">The state of its node.</param>
    /// <param name="requesterHasInstance">Whether it is looked at for another cluster, which has an instance in doubt.</param>
    public static bool MayBeUnused(GsiEntry entry, NodeState node, bool requesterHasInstance) =>
        entry.State == GsiState.Owned && node == NodeState.Living && requesterHasInstance && !SwitchedOff.Is(ProtocolRule.UnusedGivesWay);

    /// <summary>
    /// The entry as it stands after a crash: what a dead node held is void, and a round past its deadline has not taken place. To rely on
    /// a result that differs from the entry, store it first: its round may be slow rather than dead.
    /// </summary>
    /// <param name="entry">The entry as stored.</param>
    /// <param name="node">The state of the entry's node (<see cref="NodeOf"/>).</param>
    /// <param name="overdue">Whether the entry's round is past its deadline or known to have ended.</param>
    public static GsiEntry Recover(GsiEntry entry, NodeState node, bool overdue) => entry.State switch
    {
        GsiState.Invalid or GsiState.Cached => entry,
        _ when node == NodeState.Gone && !SwitchedOff.Is(ProtocolRule.GoneIsVoid) => GsiEntry.Invalid,
        GsiState.Requested or GsiState.Loser
            when ((overdue && !SwitchedOff.Is(ProtocolRule.OverdueIsVoid)) || node == NodeState.Unfenced) && !entry.IsYielding =>
            Withdraw(entry),
        _ => entry,
    };

    /// <summary>
    /// Processes a request from another cluster (GEO section 3.2, request processing, and section 3.3.1). Beyond the paper, the reply of a
    /// cluster with a Doubtful instance says where it is, be it a Pass or a Fail (<see cref="Decide"/>).
    /// </summary>
    /// <param name="entry">The local entry.</param>
    /// <param name="local">This cluster.</param>
    /// <param name="requester">The cluster that asks.</param>
    /// <param name="configuration">C_n.</param>
    /// <param name="node">
    /// The state of the entry's node (<see cref="NodeOf"/>). What an unfenced node may run is not this cluster's to point at, for nobody
    /// could call it there, and a requester that has an instance would end it for the sake of a dead one; nor is it to be passed over. To
    /// the requester the cluster does not answer.
    /// </param>
    public static GsiAnswer Answer(
        GsiEntry entry, ClusterId local, ClusterId requester, MultiClusterConfiguration configuration, NodeState node)
    {
        if (requester == local || !configuration.Includes(requester))
        {
            var reason = $"'{requester}' is not among the other clusters in configuration {configuration.Version} of '{local}'";
            return new(entry, GsiReplyKind.Fail, Reason: reason);
        }

        if (node == NodeState.Unfenced && (entry.MayRunHere || entry.IsYielding) && !SwitchedOff.Is(ProtocolRule.UnfencedIsSilent))
        {
            return new(entry, GsiReplyKind.Missing, Reason: $"its node '{entry.Node}' is dead, but not fenced off yet");
        }

        var doubtful = entry.MayRunHere ? entry.Node : null;
        return entry.State switch
        {
            GsiState.Owned when !SwitchedOff.Is(ProtocolRule.OwnerAnswers) => new(entry, GsiReplyKind.InstanceAt, entry.Node),
            _ when !configuration.MayOwn(requester) && !SwitchedOff.Is(ProtocolRule.NewcomerIsFailed) => new(
                entry, GsiReplyKind.Fail, doubtful,
                $"'{requester}' is joining or leaving in configuration {configuration.Version} of '{local}'"),
            GsiState.Requested when entry.HasInstance && SwitchedOff.Is(ProtocolRule.RerunCompetes) =>
                new(entry, GsiReplyKind.Pass, doubtful),
            GsiState.Requested when HasPrecedence(requester, local) =>
                new(SwitchedOff.Is(ProtocolRule.LoserGivesUp) ? entry : entry with { State = GsiState.Loser }, GsiReplyKind.Pass, doubtful),
            GsiState.Requested when !SwitchedOff.Is(ProtocolRule.PrecedenceRefuses) =>
                new(entry, GsiReplyKind.Fail, doubtful, $"a request of '{local}' is under way and has precedence"),
            _ => new(entry, GsiReplyKind.Pass, doubtful),
        };
    }

    /// <summary>
    /// Starts a round: the entry to store before any request is sent. An entry with a local instance keeps it, so that a Doubtful entry
    /// that is tried again competes as Requested: two of them that answered Pass to each other would both become Owned.
    /// </summary>
    /// <param name="entry">The entry, which is Owned by nobody here and runs no round.</param>
    /// <param name="node">The node of the instance to be created, where there is none.</param>
    /// <param name="epoch">A new tenancy, where there is no instance.</param>
    /// <param name="round">The new round.</param>
    /// <param name="basis">What the round is run on.</param>
    /// <param name="deadline">When the round may be regarded as abandoned.</param>
    public static GsiEntry Begin(GsiEntry entry, string node, long epoch, long round, RoundBasis basis, DateTimeOffset deadline) => new()
    {
        State = GsiState.Requested,
        Node = entry.MayRunHere ? entry.Node : node,
        Epoch = entry.MayRunHere ? entry.Epoch : epoch,
        HasInstance = entry.MayRunHere,
        Round = round,
        Basis = basis,
        Deadline = deadline,
    };

    /// <summary>Processes the replies of a round (GEO section 3.2, reply processing): the first rule that applies.</summary>
    /// <remarks>
    /// Two rules differ from the paper's, neither of which lets a round become Owned that would not have: a Loser that is told where the
    /// instance is goes there instead of asking again, and Doubtful instances that can hear each other become one (<see cref="Joins"/>).
    /// </remarks>
    /// <param name="entry">The local entry.</param>
    /// <param name="local">This cluster.</param>
    /// <param name="round">The round that the replies are for; replies to another one count as missing.</param>
    /// <param name="replies">The replies that came.</param>
    /// <param name="expected">The clusters that were asked: all others of C_n.</param>
    /// <param name="mode">What to do about missing replies where there is no local instance.</param>
    public static GsiDecision Decide(
        GsiEntry entry, ClusterId local, long round, IReadOnlyList<GsiReply> replies, IReadOnlyList<ClusterId> expected,
        SingleInstanceMode mode)
    {
        if ((entry.Round != round && !SwitchedOff.Is(ProtocolRule.RoundIsNamed)) || entry.IsYielding
            || entry.State is not (GsiState.Requested or GsiState.Loser))
        {
            return new(GsiDecisionKind.Superseded, Reason: "another round took its place");
        }

        var failure = entry.State == GsiState.Loser ? "a cluster with precedence asked for it at the same time" : null;
        string? missing = null;
        GsiReply doubtful = default;
        foreach (var cluster in expected)
        {
            var reply = ReplyOf(cluster, round, replies);
            switch (reply.Kind)
            {
                case GsiReplyKind.InstanceAt:
                    return new(GsiDecisionKind.Cache, cluster, reply.Node);
                case GsiReplyKind.Fail when !SwitchedOff.Is(ProtocolRule.FailCounts):
                    failure ??= $"cluster '{cluster}' refuses: {reply.Reason}";
                    break;
                case GsiReplyKind.Busy:
                    failure ??= $"cluster '{cluster}' has no room for the request: {reply.Reason}";
                    break;
                case GsiReplyKind.Missing when !SwitchedOff.Is(ProtocolRule.MissingCounts):
                    missing ??= $"cluster '{cluster}' does not answer: {reply.Reason}";
                    break;
            }

            // Of several Doubtful instances the one that will be left.
            doubtful = reply.Node is not null && (doubtful.Node is null || HasPrecedence(cluster, doubtful.From)) ? reply : doubtful;
        }

        var passed = failure is null && missing is null;
        return doubtful.Node is not null && Joins(entry, local, doubtful.From, passed, mode)
                ? new(GsiDecisionKind.Cache, doubtful.From, doubtful.Node)
            : failure is not null ? new(GsiDecisionKind.Restart, Reason: failure)
            : passed ? new(GsiDecisionKind.Own)
            : mode == SingleInstanceMode.Optimistic || entry.HasInstance ? new(GsiDecisionKind.Doubt, Reason: missing)
            : new(GsiDecisionKind.Refuse, Reason: missing);
    }

    /// <summary>
    /// Whether a round is content with a Doubtful instance of another cluster, which in the paper counts for nothing, so that every cluster
    /// that cannot reach one of the others makes an instance of its own and keeps it for as long as that lasts. A cluster without an
    /// instance joins any; of two instances the one of the cluster with precedence is left, unless the other is just becoming the owner.
    /// </summary>
    private static bool Joins(GsiEntry entry, ClusterId local, ClusterId doubtful, bool passed, SingleInstanceMode mode) =>
        !SwitchedOff.Is(ProtocolRule.DoubtIsJoined)
        && (entry.HasInstance ? !passed && HasPrecedence(doubtful, local) : mode == SingleInstanceMode.Optimistic);

    /// <summary>
    /// A decision as it stands when it is about to be stored. A cluster that is no member, or no more since the round was begun, becomes
    /// the owner of nothing: others may have gone on without it (rule C6 of the design of regions).
    /// </summary>
    /// <param name="decision">The decision.</param>
    /// <param name="local">This cluster.</param>
    /// <param name="present">The configuration as it is processed now.</param>
    public static GsiDecision InConfiguration(GsiDecision decision, ClusterId local, MultiClusterConfiguration present) =>
        decision.Kind is not (GsiDecisionKind.Own or GsiDecisionKind.Doubt) || present.MayOwn(local)
        || SwitchedOff.Is(ProtocolRule.MembersOwn)
            ? decision
            : new(GsiDecisionKind.Refuse, Reason: $"'{local}' is not a member in configuration {present.Version}");

    /// <summary>
    /// The entry after a decision. Where another cluster has the grain and there is a local instance, the entry first yields
    /// (<see cref="GsiEntry.IsYielding"/>): the instance must be deactivated before <see cref="Yielded"/> may be stored.
    /// </summary>
    public static GsiEntry Apply(GsiEntry entry, GsiDecision decision) => decision.Kind switch
    {
        GsiDecisionKind.Restart => entry with { State = GsiState.Loser },
        GsiDecisionKind.Cache when entry.HasInstance =>
            entry with { State = GsiState.Loser, Owner = decision.Owner, OwnerNode = decision.OwnerNode },
        GsiDecisionKind.Cache => Cached(entry.Round, decision.Owner, decision.OwnerNode),
        GsiDecisionKind.Own => Settled(entry, GsiState.Owned),
        GsiDecisionKind.Doubt => Settled(entry, GsiState.Doubtful),
        GsiDecisionKind.Refuse => Withdraw(entry),
        _ => entry,
    };

    /// <summary>
    /// The entry when a round is given up: as it was before, Doubtful where there is a local instance and Invalid otherwise.
    /// </summary>
    public static GsiEntry Withdraw(GsiEntry entry) => entry.HasInstance ? Settled(entry, GsiState.Doubtful) : GsiEntry.Invalid;

    /// <summary>
    /// An Owned entry whose instance is about to be ended, to go on in another cluster (rule Q7 of the design of regions, for this
    /// protocol): owned as before, under a name of the tenancy that no instance has.
    /// </summary>
    public static GsiEntry Leave(GsiEntry owned, ClusterId to, long epoch, DateTimeOffset deadline) =>
        owned with { Epoch = epoch, Owner = to, Deadline = deadline };

    /// <summary>
    /// The entry when that instance has ended. To others it says what no entry would say, which is Pass; and no silo of this cluster begins
    /// a round that would compete. Until the deadline callers wait for what becomes of the move, and then go where the grain was to go.
    /// </summary>
    public static GsiEntry Left(GsiEntry leaving, DateTimeOffset deadline) =>
        leaving with { State = GsiState.Loser, HasInstance = true, Deadline = deadline };

    /// <summary>The entry when the move was given up: owned, by whoever calls next.</summary>
    public static GsiEntry Stay(GsiEntry leaving) => leaving with { Owner = default, Deadline = default };

    /// <summary>The entry when the local instance of a yielding entry has been deactivated.</summary>
    public static GsiEntry Yielded(GsiEntry entry) => Cached(entry.Round, entry.Owner, entry.OwnerNode);

    private static GsiEntry Settled(GsiEntry entry, GsiState state) =>
        new() { State = state, Node = entry.Node, Epoch = entry.Epoch, Round = entry.Round, Basis = entry.Basis };

    private static GsiEntry Cached(long round, ClusterId owner, string? node) =>
        new() { State = GsiState.Cached, Round = round, Owner = owner, OwnerNode = node };

    private static GsiReply ReplyOf(ClusterId cluster, long round, IReadOnlyList<GsiReply> replies)
    {
        // A plain loop: a round has a handful of replies, and an enumerator would be boxed.
        var missing = new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: "no reply");
        for (var i = 0; i < replies.Count; i++)
        {
            if (replies[i].From == cluster && replies[i].Round == round)
            {
                if (replies[i].Kind != GsiReplyKind.Missing)
                {
                    return replies[i];
                }

                missing = replies[i];
            }
        }

        return missing;
    }
}
