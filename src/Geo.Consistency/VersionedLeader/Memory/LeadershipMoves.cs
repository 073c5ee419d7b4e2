namespace Geo.Consistency;

/// <summary>
/// How a grain's leadership goes to another cluster while the present leader is well: because its silo stops, or because the cluster that
/// the grain's class names is back. Nothing is promised: the other one is asked to ask.
/// </summary>
internal sealed class LeadershipMoves(ReplicaMemory memory, ReplicaMemories silo)
{
    private HandOverRound? _round;
    private long _returnedAt;

    /// <summary>True while this cluster is the last that led, another one is to, and there is one.</summary>
    internal bool IsToHandOver => !memory.IsDropped && IsLedHere(memory.Replica) && !Successor.IsNone;

    private ClusterId Successor => ReplicaMemories.NextAfter(memory.Key, memory.Replica.Cluster, silo.Configuration);

    /// <summary>
    /// Begins, or goes on, to let another cluster lead: gives who is to be asked to ask, and what it is told; null where nobody is. The
    /// round hears when another one leads.
    /// </summary>
    internal (ClusterId To, byte[] Message)? HandOver(HandOverRound round)
    {
        if (!IsToHandOver)
        {
            return null;
        }

        TellOf(round);

        // Also after it has given way: the other one may not have begun.
        return (Successor, memory.WithConfirmation(TakeOver()));
    }

    /// <summary>A round of hand-overs hears when another cluster leads; at once where one does.</summary>
    internal void TellOf(HandOverRound round)
    {
        Volatile.Write(ref _round, round);
        Changed(memory.Replica);
    }

    /// <summary>The memory is another one: who waits for another leader hears of it.</summary>
    internal void Changed(LeaderReplica replica)
    {
        if (!IsLedHere(replica))
        {
            Interlocked.Exchange(ref _round, null)?.Arrived();
        }
    }

    /// <summary>
    /// The follower that the grain's class names has answered: where it has all that this leader has, it is asked to lead. Not twice within
    /// the time that a cluster must be out of reach before another one leads in its place.
    /// </summary>
    internal void ReturnTo(ClusterId follower)
    {
        var replica = memory.Replica;
        var last = Volatile.Read(ref _returnedAt);
        var isReady = replica.Leadership is { } leading && leading.Configuration.Includes(follower)
            && leading.Acks.GetValueOrDefault(follower).Step >= replica.Log.Step;
        if (isReady && (last == 0 || silo.Time.GetElapsedTime(last) >= silo.Options.TakeOverAfter)
            && Interlocked.CompareExchange(ref _returnedAt, silo.Time.GetTimestamp(), last) == last)
        {
            _ = silo.OnHome(() => ReturnAsync(follower));
        }
    }

    private static bool IsLedHere(LeaderReplica replica) => replica.Log.At.Cluster == replica.Cluster;

    private async Task ReturnAsync(ClusterId named)
    {
        await memory.RequestAsync(named, TakeOver());

        // Its question is on its way, if it is to come.
        await Task.Delay(silo.Options.AnswerWait, silo.Time, silo.Stopping);
        memory.Change(r => (r with { IsHandingOver = _round is not null }, r));
    }

    private byte[] TakeOver()
    {
        var replica = memory.Change(r => (r with { IsHandingOver = true }, r)).Replica;
        return ElectionCodec.Write(new TakeOver(replica.Incarnation, replica.Highest));
    }
}
