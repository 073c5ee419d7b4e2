namespace Geo.Testing;

/// <summary>A client of one cluster, outside of its silo: calls one grain after the other and records what it was told.</summary>
internal sealed class SimulatedClient(SimulationWorld world, SimulatedCluster cluster, string name)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(4);

    private readonly Random _random = world.Seed.Fork($"client {name}");
    private readonly IReadOnlyList<GrainKey> _grains = world.Grains();

    public async Task RunAsync(TimeSpan until)
    {
        while (world.Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(5, 300)), world.Scheduler.Time);
            var silo = cluster.Silos[_random.Next(cluster.Silos.Count)];
            if (silo.Lane.IsHalted)
            {
                continue;
            }

            var key = _grains[_random.Next(_grains.Count)];
            if (_random.Next(10) == 0 && key.Type != SimulatedGrainKind.Volatile.Type)
            {
                var holder = SimulatedGrainKind.Of(key).IsSingle ? silo : cluster.First;
                _ = holder.Lane.RunAsync(() => holder.LeaveAsync(key));
                continue;
            }

            await CallAsync(silo, Choose(key));
        }
    }

    /// <summary>Reads a grain's whole log, linearizably.</summary>
    public Task<SimulatedReply?> DumpAsync(GrainKey key) => CallAsync(cluster.First, new SimulatedCall(CallKind.Dump, key, []));

    private SimulatedCall Choose(GrainKey key) => _random.Next(20) switch
    {
        < 7 => new SimulatedCall(CallKind.Append, key, [world.NextUpdate()]),
        < 9 => new SimulatedCall(CallKind.Append, key, [world.NextUpdate(), world.NextUpdate(), world.NextUpdate()]),
        < 10 => new SimulatedCall(CallKind.AppendIf, key, [world.NextUpdate()]),
        < 11 => new SimulatedCall(CallKind.Enqueue, key, [world.NextUpdate()]),
        < 16 => new SimulatedCall(CallKind.Read, key, []),
        _ => new SimulatedCall(CallKind.Peek, key, []),
    };

    /// <summary>Calls, and waits no longer than a client's patience; null when nothing came back.</summary>
    private async Task<SimulatedReply?> CallAsync(SimulatedSilo silo, SimulatedCall call)
    {
        var operation = call.Kind == CallKind.Peek ? null : world.History.Call(call.Key.ToString(), name, call);
        var reply = silo.Lane.RunAsync(() => silo.CallAsync(call));
        using var answered = new CancellationTokenSource();
        await Task.WhenAny(reply, Task.Delay(Patience, world.Scheduler.Time, answered.Token));
        StopWaiting(answered);
        if (!reply.IsCompleted)
        {
            world.Counts.UpdatesOpen += call.Updates.Count;
            return null;
        }

        var end = await reply;
        world.Trace.Note($"{name} {call} {end.Kind}");
        switch (end.Kind)
        {
            case ReplyKind.Done when call.Kind == CallKind.Enqueue:
                break;
            case ReplyKind.Done:
                operation?.Return(call.Updates.Count == 0 ? end.Seen : default);
                world.Counts.UpdatesConfirmed += call.Updates.Count;
                world.Counts.Reads += call.Kind == CallKind.Read ? 1 : 0;
                break;
            case ReplyKind.Unknown:
                world.Counts.UpdatesOpen += call.Updates.Count;
                break;
            default:
                world.Counts.Unavailable += end.Kind == ReplyKind.Declined ? 0 : 1;
                operation?.Fail();
                break;
        }

        return end;
    }

    // CancelAsync would go to the thread pool.
    private static void StopWaiting(CancellationTokenSource answered) => answered.Cancel();
}
