using Geo.Consistency.Lattices;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What one update at the replica allocates, while it is kept for two other clusters that have written, too.</summary>
public sealed class LatticeAllocationTests : IDisposable
{
    private const int Updates = 10_000;

    private readonly SimulationScheduler _scheduler = new();
    private readonly LatticeExchange _exchange;

    public LatticeAllocationTests()
    {
        var network = new SimulatedNetwork(_scheduler, new ChoiceTape("network", new Random(1)));
        _exchange = new(
            network.Join(new("a"), _scheduler.CreateLane("a")), () => [new("a"), new("b"), new("c")], _scheduler.Time, new Random(1),
            NullLogger.Instance, new());
        _exchange.Run(() => _exchange.Node.Data.KeepsUpdates = true);
    }

    public void Dispose() => _exchange.Dispose();

    [Fact]
    public void A_register() => Measure<LwwRegister<long>>(
        64, (_, i) => LwwRegister<long>.Of(new((ulong)i, new(9)), i), static (_, origin) => LwwRegister<long>.Of(origin.NextStamp(), 7));

    [Fact]
    public void A_maximum()
    {
        var next = 1_000L;
        Measure<MaxLattice<long>>(64, (_, i) => MaxLattice<long>.Of(i), (_, _) => MaxLattice<long>.Of(++next));
    }

    [Fact]
    public void A_counter() => Measure<PnCounter>(
        199, (state, i) => state.Add(new((ulong)i), 1), static (state, origin) => state.Add(origin.Source, 1));

    [Fact]
    public void A_bounded_counter() => Measure<EscrowCounter>(
        199, (state, i) => state.Add(new((ulong)i), 1), static (state, origin) => state.Add(origin.Source, 1));

    [Fact]
    public void A_bounded_counter_that_is_taken_from()
    {
        var other = new ReplicaId(7);
        Measure<EscrowCounter>(
            199,
            (state, i) => i == 1 ? state.Add(other, 1_000_000) : state.Give(other, _exchange.Node.Data.Id, 1_000_000),
            static (state, origin) => state.TryTake(origin.Source, 1, out var taken) == EscrowOutcome.Taken ? taken : EscrowCounter.Bottom);
    }

    [Fact]
    public void A_multi_value_register() => Measure<Dotted<MvRegister<long>>>(
        199, (state, i) => state.Content.Write(new(new((ulong)i), 5), i),
        static (state, origin) => state.Content.Write(origin.NextDot(), 7));

    [Fact]
    public void A_set_of_one() => Measure<Dotted<OrSet<string>>>(
        199, (state, i) => state.Content.Add(new(new((ulong)i), 5), "milk"),
        static (state, origin) => state.Content.Add(origin.NextDot(), "milk"));

    private void Measure<T>(int limit, Func<T, int, T> others, Func<T, LatticeOrigin, T> change)
        where T : ILattice<T>
    {
        _exchange.Add(new LatticeClass<T>("grain"));
        using var handle = _exchange.Open<T>(new("grain", "1"));
        for (var i = 1; i <= 2; i++)
        {
            handle.Update((state, _) => others(state, i));
        }

        // What others have made is in the state, and not in what is kept for them.
        _exchange.Run(_exchange.Node.Data.EndEpoch);

        for (var i = 0; i < 100; i++)
        {
            handle.Update(change);
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < Updates; i++)
        {
            handle.Update(change);
        }

        var each = (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Updates;
        TestContext.Current.TestOutputHelper?.WriteLine($"{T.TypeName}: {each:F1} B an update");
        Assert.InRange(each, 1, limit);
    }
}
