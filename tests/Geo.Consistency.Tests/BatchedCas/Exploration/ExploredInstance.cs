using System.Collections.Immutable;

namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>An instance of an explored schedule: what it knows, what it has queued, and what others have handed in.</summary>
internal sealed class ExploredInstance(long id)
{
    internal long Id => id;

    internal CasState State { get; set; } = CasState.Initial;

    internal ImmutableArray<ExploredUpdate> Shown { get; set; } = [];

    internal List<ExploredGroup> Queue { get; } = [];

    internal long LastNumber { get; set; }

    internal List<HandIn> Guests { get; } = [];

    /// <summary>The write that it waits for.</summary>
    internal ExploredWrite? Writing { get; set; }

    internal IEnumerable<long> QueuedNumbers =>
        Queue.SelectMany(g => Enumerable.Range(0, g.Head.Count).Select(i => g.Head.First + i));

    internal int CountThrough(long number) => QueuedNumbers.Count(n => n <= number);

    /// <summary>Takes the oldest updates out of the queue.</summary>
    internal List<ExploredUpdate> TakeOldest(int count)
    {
        var taken = QueuedNumbers.Take(count).Select(n => new ExploredUpdate(id, n)).ToList();
        for (var left = count; left > 0; left -= Queue[0].Head.Count, Queue.RemoveAt(0))
        {
            if (Queue[0].Head.Count > left)
            {
                throw new ExploredCasException("a group was torn apart");
            }
        }

        return taken;
    }
}
