namespace Geo.Consistency;

/// <summary>
/// Lets other clusters lead what a silo leads that stops: many grains in a message, and no more at a time than others lead meanwhile, so
/// that those who are to lead are not swamped. A grain that nobody leads elsewhere for a while comes again after all others.
/// </summary>
internal sealed class HandOvers(ReplicaMemories silo)
{
    // Of the grains that are being handed over.
    private const int MaxUnderWay = 2_000;

    // Of the grains in one message.
    private const int MessageSize = 250;

    private readonly List<(ReplicaMemory Memory, long Since)> _underWay = [];

    private TimeSpan TryAgainAfter => silo.Options.RetryBase * 10;

    internal async Task RunAsync(IEnumerable<ReplicaMemory> memories, CancellationToken cancellationToken)
    {
        var waiting = new Queue<ReplicaMemory>(memories);
        while (waiting.Count > 0 || _underWay.Count > 0)
        {
            var next = new List<ReplicaMemory>();
            while (next.Count + _underWay.Count < MaxUnderWay && waiting.TryDequeue(out var memory))
            {
                next.Add(memory);
            }

            await BeginAsync(next, cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();
            foreach (var (memory, since) in _underWay.ToArray())
            {
                if (memory.Moves.IsToHandOver && silo.Time.GetElapsedTime(since) >= TryAgainAfter)
                {
                    waiting.Enqueue(memory);
                }
            }

            _underWay.RemoveAll(u => !u.Memory.Moves.IsToHandOver || silo.Time.GetElapsedTime(u.Since) >= TryAgainAfter);
        }
    }

    /// <summary>Begins with some more; ends when a part of those under way are led elsewhere, or after a short while.</summary>
    private async Task BeginAsync(List<ReplicaMemory> next, CancellationToken cancellationToken)
    {
        using var enough = new CancellationTokenSource(silo.Options.RetryBase, silo.Time);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancellationToken);
        var round = new HandOverRound(Math.Min(MessageSize, next.Count + _underWay.Count), limit.Token);
        foreach (var (memory, _) in _underWay)
        {
            memory.Moves.TellOf(round);
        }

        var messages = new SortedDictionary<ClusterId, List<(GrainKey, byte[])>>();
        foreach (var memory in next)
        {
            if (memory.Moves.HandOver(round) is { } successor)
            {
                var some = messages.TryGetValue(successor.To, out var known) ? known : messages[successor.To] = [];
                some.Add((memory.Key, successor.Message));
                _underWay.Add((memory, silo.Time.GetTimestamp()));
            }
            else
            {
                round.Arrived();
            }
        }

        foreach (var (to, some) in messages)
        {
            foreach (var message in some.Chunk(MessageSize))
            {
                _ = silo.OnHome(() => silo.SendMany(to, message, silo.Stopping).AsTask());
            }
        }

        await round.EndAsync();
    }
}
