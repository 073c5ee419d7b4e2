using System.Diagnostics;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Lattices;

/// <summary>Two clusters that are linked, and sessions that stay at theirs: one thread drives them in turn.</summary>
internal sealed class LevelPair : IAsyncDisposable
{
    private const int Reads = 3;
    private const int Writes = 3;
    private const int TransactionsInTurn = 16;

    private readonly IHost[] _hosts;
    private readonly int[] _order;
    private readonly int _keys;

    private LevelPair(IHost[] hosts, int keys)
    {
        (_hosts, _keys) = (hosts, keys);
        var random = new Random(7);
        _order = [.. Enumerable.Range(0, 1 << 16).Select(_ => random.Next(keys))];
    }

    public static async Task<LevelPair> StartAsync(int keys)
    {
        var hosts = await LinkedPair.StartAsync(geo =>
            geo.AddGrain<LevelGrains.SimpleEventual>().AddGrain<LevelGrains.MonotonicReads>().AddGrain<LevelGrains.ReadYourWrites>()
                .AddGrain<LevelGrains.MonotonicWrites>().AddGrain<LevelGrains.WritesFollowReads>().AddGrain<LevelGrains.Pram>()
                .AddGrain<LevelGrains.Causal>().AddGrain<LevelGrains.ReadUncommitted>().AddGrain<LevelGrains.ReadCommitted>()
                .AddGrain<LevelGrains.ItemCut>());
        return new(hosts, keys);
    }

    /// <summary>Runs transactions of a level, until so many operations are made and told.</summary>
    public async Task<LevelRun> RunAsync(ConsistencyLevel level, int operations)
    {
        var grains = Enumerable.Range(0, _keys).Select(k => new GrainKey(level.ToString().ToLowerInvariant(), $"{k}")).ToArray();
        var sessions = _hosts.Select(h => h.Services.GetRequiredService<ILatticeSessions>().Open(level)).ToArray();
        var (at, made) = (0, 0L);
        var before = GC.GetAllocatedBytesForCurrentThread();
        var (start, cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        while (made < operations)
        {
            foreach (var session in sessions)
            {
                for (var i = 0; i < TransactionsInTurn; i++)
                {
                    Transact(session, grains, ref at);
                    made += Reads + Writes;
                }
            }
        }

        var (elapsed, bytes) = (Stopwatch.GetElapsedTime(start), GC.GetAllocatedBytesForCurrentThread() - before);

        // What is still on its way is of this level.
        await Task.Delay(500);
        cpu = Environment.CpuUsage.TotalTime - cpu;
        return new(made / elapsed.TotalSeconds, cpu.TotalMicroseconds / made, (double)bytes / made);
    }

    public ValueTask DisposeAsync() => LinkedPair.StopAsync(_hosts);

    // Nothing has to be waited for: sessions stay where they are.
    private void Transact(ILatticeSession session, GrainKey[] grains, ref int at)
    {
        session.Begin();
        for (var i = 0; i < Reads; i++)
        {
            Complete(session.ReadAsync(Next(grains, ref at), static (LwwRegister<long> r) => r.HasValue ? r.Value : 0));
            Complete(session.UpdateAsync(
                Next(grains, ref at), static (LwwRegister<long> _, LatticeOrigin o) => LwwRegister<long>.Of(o.NextStamp(), 7)));
        }

        session.Commit();
    }

    private GrainKey Next(GrainKey[] grains, ref int at) => grains[_order[at++ & (_order.Length - 1)]];

    private static void Complete(ValueTask task) =>
        Trace.Assert(task.IsCompletedSuccessfully, "A session that stays waits for nothing.");

    private static void Complete(ValueTask<long> task) =>
        Trace.Assert(task.IsCompletedSuccessfully, "A session that stays waits for nothing.");
}
