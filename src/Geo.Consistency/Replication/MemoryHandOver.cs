namespace Geo.Consistency;

/// <summary>A silo that stops leaves what it remembers of volatile grains to the other silos of its cluster.</summary>
internal sealed class MemoryHandOver(
    MemoryClaims claims, ReplicaExchange exchange, ISiloMembership membership, ISiblings siblings, Func<string, bool> isGone,
    TimeSpan timeout, TimeProvider time)
{
    private const int MovesAtOnce = 64;

    // A question whose answer is lost is asked again within the time that there is.
    private const int Tries = 8;

    /// <summary>
    /// Lets other silos of the cluster have what this one remembers, before it stops, and what it gave them and they never got; as much as
    /// the time allows, and nothing without a lease, for it may be theirs already.
    /// </summary>
    internal async Task RunAsync()
    {
        if (!exchange.Memories.MayServe())
        {
            return;
        }

        using var limit = new CancellationTokenSource(exchange.Memories.Options.HandOverWait, time);
        try
        {
            await Task.WhenAll([
                .. claims.Unresolved().Select(key => claims.TryResolveAsync(key, limit.Token)), BringGivenAsync(limit.Token),
            ]);
            foreach (var some in exchange.Memories.All.Chunk(MovesAtOnce))
            {
                await Task.WhenAll(some.Select(memory => MoveAsync(memory.Key, limit.Token)));
            }

            await BringGivenAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            // What is left ends with this silo.
        }
    }

    private async Task MoveAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var question = new PayloadWriter();
        question.WriteText(key.Type);
        question.WriteText(key.Key);
        for (var attempt = 0u; exchange.Memories.Has(key, out _); attempt++)
        {
            var others = membership.Members.All.Where(m => m.State == SiloState.Living && m.Node != membership.Local).ToList();
            if (others.Count == 0)
            {
                return;
            }

            var taker = others[(int)(((uint)key.ToPartitionKey().Mix() + attempt) % (uint)others.Count)].Node;
            if (await TryAskAsync(taker, MemoryClaims.TakeService, question.Written, cancellationToken))
            {
                return;
            }
        }
    }

    /// <summary>Brings what was given to the silos that do not say that they have it, the newest first.</summary>
    private async Task BringGivenAsync(CancellationToken cancellationToken)
    {
        foreach (var some in exchange.Memories.Given.All.Reverse().Chunk(MovesAtOnce))
        {
            await Task.WhenAll(some.Select(given => BringAsync(given.Key, given.Memory, cancellationToken)));
        }
    }

    private async Task BringAsync(GrainKey key, GivenMemory given, CancellationToken cancellationToken)
    {
        var brought = MemoryClaims.Named(key, given.Offer);
        brought.WriteText(membership.Local);
        given.Answer.CopyTo(brought.GetSpan(given.Answer.Length));
        brought.Advance(given.Answer.Length);
        while (!isGone(given.Node) && !await TryAskAsync(given.Node, MemoryClaims.BringService, brought.Written, cancellationToken))
        {
        }

        exchange.Memories.Given.Arrived(key, given.Offer);
    }

    /// <summary>False where there is no answer, after a pause.</summary>
    private async Task<bool> TryAskAsync(string node, string service, ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var pause = exchange.Memories.Options.HandOverWait / Tries;
        var reply = await siblings.AskAsync(node, service, question, pause < timeout ? pause : timeout, cancellationToken);
        if (reply.Outcome == ReplyOutcome.Replied)
        {
            return true;
        }

        await Task.Delay(pause, time, cancellationToken);
        return false;
    }
}
