namespace Geo.Directory.Tests;

/// <summary>Visits every reachable state of a model, breadth first, so that a violation comes with a shortest way to it.</summary>
internal static class Explorer
{
    /// <returns>How many states there are, and the way to the first state that violates the invariant, if there is one.</returns>
    public static (int States, IReadOnlyList<string>? Violation) Explore(GsiModel model, Func<ModelState, bool> holds)
    {
        var reachedFrom = new Dictionary<ulong, ulong> { [0] = 0 };
        var frontier = new Queue<ulong>([0]);
        var successors = new List<ModelState>();
        while (frontier.TryDequeue(out var bits))
        {
            successors.Clear();
            model.Successors(new ModelState(bits), successors);
            foreach (var successor in successors)
            {
                if (!reachedFrom.TryAdd(successor.Bits, bits))
                {
                    continue;
                }

                if (!holds(successor))
                {
                    return (reachedFrom.Count, WayTo(successor.Bits, model, reachedFrom));
                }

                frontier.Enqueue(successor.Bits);
            }
        }

        return (reachedFrom.Count, null);
    }

    private static List<string> WayTo(ulong bits, GsiModel model, Dictionary<ulong, ulong> reachedFrom)
    {
        var way = new List<string>();
        for (; bits != 0; bits = reachedFrom[bits])
        {
            way.Insert(0, model.Describe(new ModelState(bits)));
        }

        return way;
    }
}
