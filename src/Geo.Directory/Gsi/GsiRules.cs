namespace Geo.Directory;

/// <summary>
/// The rules of the global single instance protocol (GEO section 3.2) as pure, total functions. Nothing else in Geo decides about a
/// directory entry; what calls them stores each new entry by one conditional write on the entry they were given.
/// </summary>
internal static class GsiRules
{
    /// <summary>The global precedence order: true when a request of <paramref name="requester"/> wins over one of <paramref name="local"/>.</summary>
    public static bool HasPrecedence(ClusterId requester, ClusterId local) => requester > local;

    /// <summary>
    /// The entry as it stands after a crash: what a dead node held is void, and a round past its deadline has not taken place. To rely on
    /// a result that differs from the entry, store it first: its round may be slow rather than dead.
    /// </summary>
    /// <param name="entry">The entry as stored.</param>
    /// <param name="nodeAlive">Whether the entry's node may still run an instance.</param>
    /// <param name="overdue">Whether the entry's round is past its deadline or known to have ended.</param>
    public static GsiEntry Recover(GsiEntry entry, bool nodeAlive, bool overdue) => entry.State switch
    {
        GsiState.Invalid or GsiState.Cached => entry,
        _ when !nodeAlive => GsiEntry.Invalid,
        GsiState.Requested or GsiState.Loser when overdue && !entry.IsYielding => Withdraw(entry),
        _ => entry,
    };

    /// <summary>Processes a request from another cluster (GEO section 3.2, request processing, and section 3.3.1).</summary>
    /// <param name="entry">The local entry.</param>
    /// <param name="local">This cluster.</param>
    /// <param name="requester">The cluster that asks.</param>
    /// <param name="configuration">C_n.</param>
    public static GsiAnswer Answer(GsiEntry entry, ClusterId local, ClusterId requester, MultiClusterConfiguration configuration)
    {
        if (requester == local || !configuration.Includes(requester))
        {
            return new(entry, GsiReplyKind.Fail, Reason: $"'{requester}' is not among the other clusters in configuration {configuration.Version} of '{local}'");
        }

        return entry.State switch
        {
            GsiState.Owned => new(entry, GsiReplyKind.InstanceAt, entry.Node),
            GsiState.Requested when HasPrecedence(requester, local) => new(entry with { State = GsiState.Loser }, GsiReplyKind.Pass),
            GsiState.Requested => new(entry, GsiReplyKind.Fail, Reason: $"a request of '{local}' is under way and has precedence"),
            _ => new(entry, GsiReplyKind.Pass),
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
    /// <param name="deadline">When the round may be regarded as abandoned.</param>
    public static GsiEntry Begin(GsiEntry entry, string node, long epoch, long round, DateTimeOffset deadline) => new()
    {
        State = GsiState.Requested,
        Node = entry.MayRunHere ? entry.Node : node,
        Epoch = entry.MayRunHere ? entry.Epoch : epoch,
        HasInstance = entry.MayRunHere,
        Round = round,
        Deadline = deadline,
    };

    /// <summary>Processes the replies of a round (GEO section 3.2, reply processing): the first rule that applies.</summary>
    /// <param name="entry">The local entry.</param>
    /// <param name="round">The round that the replies are for; replies to another one count as missing.</param>
    /// <param name="replies">The replies that came.</param>
    /// <param name="expected">The clusters that were asked: all others of C_n.</param>
    /// <param name="mode">What to do about missing replies where there is no local instance.</param>
    public static GsiDecision Decide(
        GsiEntry entry, long round, IReadOnlyList<GsiReply> replies, IReadOnlyList<ClusterId> expected, SingleInstanceMode mode)
    {
        if (entry.Round != round || entry.IsYielding || entry.State is not (GsiState.Requested or GsiState.Loser))
        {
            return new(GsiDecisionKind.Superseded, Reason: "another round took its place");
        }

        if (entry.State == GsiState.Loser)
        {
            return new(GsiDecisionKind.Restart, Reason: "a cluster with precedence asked for it at the same time");
        }

        string? failure = null;
        string? missing = null;
        foreach (var cluster in expected)
        {
            var reply = ReplyOf(cluster, round, replies);
            switch (reply.Kind)
            {
                case GsiReplyKind.InstanceAt:
                    return new(GsiDecisionKind.Cache, cluster, reply.Node);
                case GsiReplyKind.Fail:
                    failure ??= $"cluster '{cluster}' refuses: {reply.Reason}";
                    break;
                case GsiReplyKind.Missing:
                    missing ??= $"cluster '{cluster}' does not answer: {reply.Reason}";
                    break;
            }
        }

        return failure is not null ? new(GsiDecisionKind.Restart, Reason: failure)
            : missing is null ? new(GsiDecisionKind.Own)
            : mode == SingleInstanceMode.Optimistic || entry.HasInstance ? new(GsiDecisionKind.Doubt, Reason: missing)
            : new(GsiDecisionKind.Refuse, Reason: missing);
    }

    /// <summary>
    /// The entry after a decision. Where another cluster owns the grain and there is a local instance, the entry first yields
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

    /// <summary>The entry when a round is given up: as it was before, Doubtful where there is a local instance and Invalid otherwise.</summary>
    public static GsiEntry Withdraw(GsiEntry entry) => entry.HasInstance ? Settled(entry, GsiState.Doubtful) : GsiEntry.Invalid;

    /// <summary>The entry when the local instance of a yielding entry has been deactivated.</summary>
    public static GsiEntry Yielded(GsiEntry entry) => Cached(entry.Round, entry.Owner, entry.OwnerNode);

    private static GsiEntry Settled(GsiEntry entry, GsiState state) =>
        new() { State = state, Node = entry.Node, Epoch = entry.Epoch, Round = entry.Round };

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
