using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>One cluster's memory of a grain, as the protocol's rules see it. Immutable.</summary>
/// <remarks>
/// A replica that is not seated has lost, or never had, memory of this grain: it cannot say which updates were confirmed or which terms it
/// has promised, so that it is no answer to a candidate, and takes part only in a term that named its memory.
/// </remarks>
internal sealed record LeaderReplica(ClusterId Cluster, long Incarnation)
{
    // Of the logs between the confirmed one and the newest: what is confirmed next is among them, or the newest will be.
    private const int MaxTail = 8;

    /// <summary>True with memory since a term gave it a seat.</summary>
    internal bool IsSeated { get; init; }

    /// <summary>The highest term promised or adopted: nothing of an earlier one is adopted.</summary>
    internal Term Promised { get; init; }

    /// <summary>The newest configuration heard of with a promise or an adoption.</summary>
    internal long PromisedConfiguration { get; init; }

    /// <summary>A term heard of that is higher than those promised and adopted; null for none.</summary>
    internal HeardTerm? Heard { get; init; }

    /// <summary>The newest log adopted or decided.</summary>
    internal ReplicaLog Log { get; init; } = ReplicaLog.Nothing;

    /// <summary>The configuration under which the log was adopted last.</summary>
    internal long LogConfiguration { get; init; }

    /// <summary>The newest log all of which is confirmed: what may be shown.</summary>
    internal ReplicaLog Shown { get; init; } = ReplicaLog.Nothing;

    /// <summary>The logs of the present term after <see cref="Shown"/>, oldest first.</summary>
    internal ImmutableArray<ReplicaLog> Tail { get; init; } = [];

    /// <summary>The newest step known to be confirmed.</summary>
    internal long Confirmed { get; init; }

    /// <summary>The memories of other clusters, as heard of last.</summary>
    internal ClusterMap<long> Known { get; init; }

    /// <summary>The term that it asks for.</summary>
    internal Candidacy? Candidacy { get; init; }

    /// <summary>Null where it does not lead.</summary>
    internal Leadership? Leadership { get; init; }

    /// <summary>The term that it leads; none where it leads none.</summary>
    internal Term Led => Leadership is null ? default : Log.At;

    /// <summary>True when it is to stop: a candidate that asks is let through, whatever the configuration.</summary>
    internal bool IsHandingOver { get; init; }

    /// <summary>The bytes of the states that it remembers.</summary>
    internal long StateBytes
    {
        get
        {
            var bytes = (long)Log.State.Length + (ReferenceEquals(Shown, Log) ? 0 : Shown.State.Length);
            foreach (var log in Tail)
            {
                bytes += ReferenceEquals(log, Log) ? 0 : log.State.Length;
            }

            return bytes;
        }
    }

    /// <summary>The highest term heard of in any way: where updates are sent, and what a next term must exceed.</summary>
    internal Term Highest => Term.Max(Promised, Term.Max(Log.At, Heard?.Term ?? default));

    /// <summary>True when nothing stands in the way of the configuration after this one.</summary>
    internal bool HasProcessed(long configuration) =>
        !IsSeated || Log.At.IsNone || LogConfiguration >= configuration;

    /// <summary>Keeps what a message says of its sender.</summary>
    internal LeaderReplica Hear(ClusterId from, long incarnation, Term term)
    {
        var known = from == Cluster || incarnation == 0 || (Known.TryGetValue(from, out var before) && before == incarnation)
            ? Known : Known.SetItem(from, incarnation);
        var isHigher = term > Highest;
        return known == Known && !isHigher ? this : this with { Known = known, Heard = isHigher ? new(term) : Heard };
    }

    /// <summary>What is heard of and higher than a term that is promised or adopted.</summary>
    internal HeardTerm? HeardAbove(Term term) => Heard?.Term > term ? Heard : null;

    internal LeaderReplica StepDown() =>
        Leadership is null && Candidacy is null ? this : this with { Leadership = null, Candidacy = null };

    /// <summary>The log is another one; of an earlier term nothing is shown later.</summary>
    internal LeaderReplica WithLog(ReplicaLog log)
    {
        var tail = log.At == Log.At ? Tail : [];
        return this with { Log = log, Tail = (tail.Length < MaxTail ? tail : tail.RemoveAt(MaxTail / 2)).Add(log) };
    }

    /// <summary>All up to a step is confirmed.</summary>
    internal LeaderReplica Confirm(long step)
    {
        var confirmed = Math.Max(Confirmed, step);
        var last = -1;
        for (var i = 0; i < Tail.Length && Tail[i].Step <= confirmed; i++)
        {
            last = i;
        }

        return last >= 0
            ? this with { Confirmed = confirmed, Shown = Tail[last], Tail = last + 1 < Tail.Length ? Tail.RemoveRange(0, last + 1) : [] }
            : confirmed == Confirmed ? this : this with { Confirmed = confirmed };
    }
}
