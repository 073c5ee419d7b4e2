namespace Geo.Consistency;

/// <summary>
/// Lets other clusters lead what a silo leads that stops: many grains in a message, and as many at a time as go on while the first ones are
/// on their way. Those that nobody leads elsewhere within a round come again after all others.
/// </summary>
internal sealed class HandOvers(ReplicaMemories silo)
{
    // Of the grains that begin to be handed over together.
    private const int RoundSize = 4_000;

    // Of the grains in one message.
    private const int MessageSize = 250;

    internal async Task RunAsync(IEnumerable<ReplicaMemory> memories, CancellationToken cancellationToken)
    {
        var waiting = new Queue<ReplicaMemory>(memories);
        while (waiting.Count > 0)
        {
            var some = new List<ReplicaMemory>();
            while (some.Count < RoundSize && waiting.TryDequeue(out var memory))
            {
                some.Add(memory);
            }

            await RoundAsync(some, cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();
            some.Where(memory => memory.IsToHandOver).ToList().ForEach(waiting.Enqueue);
        }
    }

    private async Task RoundAsync(List<ReplicaMemory> memories, CancellationToken cancellationToken)
    {
        using var enough = new CancellationTokenSource(silo.Options.RetryBase, silo.Time);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancellationToken);
        var round = new HandOverRound(memories.Count, limit.Token);
        var next = new SortedDictionary<ClusterId, List<(GrainKey, byte[])>>();
        foreach (var memory in memories)
        {
            if (memory.HandOver(round) is { } successor)
            {
                (next.TryGetValue(successor.To, out var messages) ? messages : next[successor.To] = []).Add((memory.Key, successor.Message));
            }
            else
            {
                round.Arrived();
            }
        }

        foreach (var (to, messages) in next)
        {
            foreach (var message in messages.Chunk(MessageSize))
            {
                _ = silo.OnHome(() => silo.SendMany(to, message, silo.Stopping).AsTask());
            }
        }

        await round.EndAsync();
    }
}
