using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>How a replica comes to lead.</summary>
internal static class LeaderElection
{
    /// <summary>
    /// Begins to ask for the next term; null where the configuration is older than one heard of, or is without this cluster, or no term is
    /// left (which takes a peer that lies).
    /// </summary>
    /// <remarks>
    /// A leader that asks leads on until it begins the next term or another one does: what it decides meanwhile is in its log when it
    /// begins.
    /// </remarks>
    /// <param name="replica">The candidate.</param>
    /// <param name="configuration">The clusters to ask.</param>
    /// <param name="clock">
    /// Milliseconds since 1970 by the wall clock. Where all memories of a grain were lost, nobody knows the terms that there were, and a
    /// message of them may still be on its way: the terms of a later life are higher as long as the clocks of the leading silos differ by
    /// less than it takes to lose all memories and begin anew. Nothing else is taken from the clock.
    /// </param>
    internal static (LeaderReplica Replica, Ask Ask)? AskFor(LeaderReplica replica, ReplicaConfiguration configuration, long clock)
    {
        if (!configuration.Includes(replica.Cluster)
            || replica.Highest.Counter >= Term.MaxCounter
            || (configuration.Number < replica.PromisedConfiguration && !LeaderRules.IsOff(LeaderRule.OldConfiguration)))
        {
            return null;
        }

        var counter = LeaderRules.IsOff(LeaderRule.Later) ? replica.Highest.Counter + 1 : Math.Max(replica.Highest.Counter + 1, clock);
        var term = LeaderRules.IsOff(LeaderRule.Owner) ? new Term(counter, default, 0)
            : new Term(counter, replica.Cluster, replica.Incarnation);
        var names = replica.Known.SetItem(replica.Cluster, replica.Incarnation);
        var asking = replica with
        {
            Promised = term,
            PromisedConfiguration = Math.Max(replica.PromisedConfiguration, configuration.Number),
            Heard = null,
            Candidacy = new(term, configuration, names, default),
        };
        return (asking, new(term, configuration.Number, names, replica.Log.At, replica.Log.Step));
    }

    /// <summary>Answers a candidate: with a promise, or with a refusal that says what stands against it.</summary>
    internal static (LeaderReplica Replica, AskAnswer Answer) Answer(
        LeaderReplica replica, ClusterId from, Ask ask, ReplicaConfiguration configuration)
    {
        var hearing = replica.Hear(from, ask.Names.GetValueOrDefault(from), ask.Term);
        var newest = Math.Max(replica.PromisedConfiguration, configuration.Number);
        var isOld = ask.Configuration < newest && !LeaderRules.IsOff(LeaderRule.OldConfiguration);
        if (ask.Term <= replica.Promised || isOld || LeadsOn(replica, ask))
        {
            return (hearing, new(
                false, replica.Promised, newest, replica.Incarnation, replica.IsSeated, hearing.Known, null));
        }

        var known = hearing.Known;
        foreach (var (cluster, incarnation) in ask.Names)
        {
            known = cluster == replica.Cluster ? known : known.SetItem(cluster, incarnation);
        }

        var isKept = !LeaderRules.IsOff(LeaderRule.Promise);
        var granted = (isKept ? hearing.StepDown() : hearing) with
        {
            Promised = isKept ? ask.Term : hearing.Promised,
            Heard = isKept ? hearing.HeardAbove(ask.Term) : hearing.Heard,
            PromisedConfiguration = Math.Max(replica.PromisedConfiguration, ask.Configuration),
            Known = known,
        };
        return (granted, new(
            true, ask.Term, granted.PromisedConfiguration, replica.Incarnation, replica.IsSeated, known,
            replica.Log.IsNewerThan(ask.At, ask.Step) || LeaderRules.IsOff(LeaderRule.Order) ? replica.Log : null));
    }

    /// <summary>Takes an answer, and begins the term where that is enough.</summary>
    internal static LeaderReplica Take(LeaderReplica replica, ClusterId from, Term asked, AskAnswer answer, UpdateConfirmation confirmation)
    {
        var hearing = replica.Hear(from, answer.Incarnation, answer.Promised);
        return !answer.IsGranted || hearing.Candidacy is not { } candidacy || candidacy.Term != asked
            || candidacy.Answers.ContainsKey(from)
            ? hearing
            : TryBegin(
                hearing with { Candidacy = candidacy with { Answers = candidacy.Answers.SetItem(from, answer) } }, confirmation);
    }

    /// <summary>Begins the term that is asked for, where the answers are enough; otherwise nothing changes.</summary>
    /// <param name="replica">The candidate.</param>
    /// <param name="confirmation">When updates are confirmed, as the grain's class has it.</param>
    internal static LeaderReplica TryBegin(LeaderReplica replica, UpdateConfirmation confirmation)
    {
        if (replica.Candidacy is not { } candidacy || replica.Promised != candidacy.Term)
        {
            return replica;
        }

        var configuration = candidacy.Configuration;
        var resolved = configuration.Resolve(confirmation);
        if (!AreEnough(replica, candidacy, configuration.MayConfirmAlone(confirmation)) || !IsOneLife(replica, candidacy))
        {
            return replica;
        }

        var newest = replica.Log;
        foreach (var answer in candidacy.Answers.Values)
        {
            newest = answer.Log is { } log && log.IsNewerThan(newest) && !LeaderRules.IsOff(LeaderRule.Newest) ? log : newest;
        }

        var begun = newest.Begin(candidacy.Term);
        var leading = replica with
        {
            IsSeated = true,
            IsHandingOver = false,
            Candidacy = null,
            Log = begun,
            LogConfiguration = configuration.Number,
            Tail = [begun],
            Leadership = new(configuration, resolved, candidacy.Names.Remove(replica.Cluster), default, 0),
        };
        return LeaderDeciding.Confirm(leading);
    }

    /// <summary>
    /// The paper's rule confirms alone, so that its leader may be the only one who knows: it gives way when it stops, or to another
    /// configuration.
    /// </summary>
    private static bool LeadsOn(LeaderReplica replica, Ask ask) =>
        replica.Leadership is { Confirmation: UpdateConfirmation.Leader } leading
        && !replica.IsHandingOver
        && ask.Configuration <= leading.Configuration.Number;

    private static bool AreEnough(LeaderReplica replica, Candidacy candidacy, bool needsAll)
    {
        if (LeaderRules.IsOff(LeaderRule.Recovery))
        {
            return true;
        }

        var isAll = candidacy.Configuration.Asked.All(c => c == replica.Cluster || candidacy.Answers.ContainsKey(c));
        var configuration = candidacy.Configuration;
        return isAll
            || (!needsAll
                && CountSeated(replica, candidacy, configuration.Clusters) >= configuration.Majority
                && CountSeated(replica, candidacy, configuration.Former) >= configuration.EnoughFormer);
    }

    private static int CountSeated(LeaderReplica replica, Candidacy candidacy, ImmutableArray<ClusterId> clusters)
    {
        var seated = 0;
        foreach (var cluster in clusters)
        {
            var isSeated = cluster == replica.Cluster ? replica.IsSeated
                : candidacy.Answers.TryGetValue(cluster, out var answer) && answer.IsSeated;
            var isThere = cluster == replica.Cluster || candidacy.Answers.ContainsKey(cluster);
            seated += isSeated || (isThere && LeaderRules.IsOff(LeaderRule.Amnesia)) ? 1 : 0;
        }

        return seated;
    }

    /// <summary>
    /// True when nobody who answered knows another memory of one who answered: an answer given before a crash would otherwise stand beside
    /// promises given to the memory that came after it.
    /// </summary>
    private static bool IsOneLife(LeaderReplica replica, Candidacy candidacy)
    {
        if (LeaderRules.IsOff(LeaderRule.OneLife))
        {
            return true;
        }

        foreach (var (cluster, answer) in candidacy.Answers)
        {
            if (Differs(replica.Known, cluster, answer.Incarnation)
                || Differs(answer.Known, replica.Cluster, replica.Incarnation)
                || candidacy.Answers.Any(other => other.Key != cluster && Differs(other.Value.Known, cluster, answer.Incarnation)))
            {
                return false;
            }
        }

        return true;

        static bool Differs(ClusterMap<long> known, ClusterId cluster, long incarnation) =>
            known.TryGetValue(cluster, out var other) && other != incarnation;
    }
}
