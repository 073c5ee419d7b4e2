using Geo.Consistency.Lattices;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Cluster a of two silos and cluster b of one; what b sends to a arrives at either of a's silos.</summary>
public sealed class LatticeSiblingTests
{
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");

    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulatedNetwork _network;
    private readonly Dictionary<string, Silo> _silos = [];

    public LatticeSiblingTests()
    {
        _network = new(_scheduler, new ChoiceTape("network", new Random(1)));
        var random = new Random(2);
        foreach (var (name, cluster) in (ReadOnlySpan<(string, ClusterId)>)[("a1", A), ("a2", A), ("b1", B)])
        {
            var silo = _silos[name] = new(this, name, cluster, _scheduler.CreateLane(name));
            silo.Exchange = new(
                _network.Join(cluster, silo.Lane), () => [A, B], _scheduler.Time, random, NullLogger.Instance,
                new() { CollectInterval = TimeSpan.FromSeconds(1) }, new LatticeSiblings(silo, silo, cluster, LatticeDomain.Free));
            silo.Exchange.Add(new LatticeClass<PnCounter>("counter"));
            silo.Exchange.Add(new LatticeClass<Dotted<OrSet<string>>>("set"));
            silo.Exchange.Add(new LatticeClass<EscrowCounter>("seats"));
            silo.Lane.Post(silo.Exchange.Start);
        }
    }

    [Fact]
    public void Every_silo_comes_to_have_the_updates_of_all() => _scheduler.Run(async () =>
    {
        await DelayAsync(15);
        foreach (var silo in _silos.Values)
        {
            await silo.UpdateAsync<PnCounter>("counter", (s, o) => s.Add(o.Source, 1));
        }

        await DelayAsync(2);
        Assert.All(_silos.Values, silo => Assert.Equal(3, silo.State<PnCounter>("counter").Value));
        Assert.Equal(2, _silos["a1"].Exchange.Node.Peers.Knowing(new("counter", "1"), 1));
        Assert.Equal(2, _silos["b1"].Exchange.Node.Peers.Knowing(new("counter", "1"), 1));
    });

    [Fact]
    public void A_dead_silo_holds_up_nothing_and_what_it_told_one_alone_comes_to_all() => _scheduler.Run(async () =>
    {
        await DelayAsync(15);
        _network.Isolate(A);
        await _silos["a2"].UpdateAsync<Dotted<OrSet<string>>>("set", (s, o) => s.Content.Add(o.NextDot(), "milk"));
        await DelayAsync(1);
        _silos["a2"].Die();
        _network.Heal();
        await DelayAsync(30);
        Assert.Equal(["milk"], _silos["b1"].State<Dotted<OrSet<string>>>("set").Content);
        await _silos["b1"].UpdateAsync<Dotted<OrSet<string>>>("set", (s, o) => s.Content.Remove(o.NextDot(), "milk"));
        await DelayAsync(60);
        Assert.Equal((0, 0), (_silos["a1"].Exchange.Node.Data.Cells.Count, _silos["b1"].Exchange.Node.Data.Cells.Count));
    });

    [Fact]
    public void Who_stops_waits_until_another_silo_has_what_it_made() => _scheduler.Run(async () =>
    {
        await DelayAsync(15);
        _network.Isolate(A);
        await _silos["a2"].UpdateAsync<PnCounter>("counter", (s, o) => s.Add(o.Source, 1));
        var left = Task.CompletedTask;
        await _silos["a2"].Lane.RunAsync(() =>
        {
            left = _silos["a2"].Exchange.LeaveAsync(CancellationToken.None);
            return Task.CompletedTask;
        });
        Assert.False(left.IsCompleted);
        await DelayAsync(1);
        Assert.True(left.IsCompletedSuccessfully);
        Assert.Equal(1, _silos["a1"].State<PnCounter>("counter").Value);
    });

    [Fact]
    public void Who_stops_gives_what_it_may_take_to_no_silo_that_stops_too() => _scheduler.Run(async () =>
    {
        await DelayAsync(15);
        await _silos["a2"].UpdateAsync<EscrowCounter>("seats", (s, o) => s.Add(o.Source, 10));
        _silos["a1"].IsLeaving = true;
        await _silos["a2"].Lane.RunAsync(() => _silos["a2"].Exchange.LeaveAsync(CancellationToken.None));
        Assert.Equal(10, _silos["b1"].State<EscrowCounter>("seats").Rights(_silos["b1"].Exchange.Node.Data.Id));
    });

    private Task DelayAsync(int seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), _scheduler.Time);

    private sealed class Silo(LatticeSiblingTests world, string name, ClusterId cluster, SimulationLane lane) : ISiloMembership, ISiblings
    {
        private readonly SiblingServices _services = new();

        public SimulationLane Lane => lane;

        public LatticeExchange Exchange { get; set; } = null!;

        public string Local => name;

        public SiloMembers Members => new(world._silos.Values.Where(s => s.Cluster == cluster && !s.Lane.IsHalted)
            .Select(s => new SiloMember(s.Local, s.IsLeaving ? SiloState.Leaving : SiloState.Living)));

        public bool IsLeaving { get; set; }

        private ClusterId Cluster => cluster;

        public void Die()
        {
            lane.Halt();
            Exchange.Dispose();
        }

        public Task UpdateAsync<T>(string type, Func<T, LatticeOrigin, T> change)
            where T : ILattice<T> => lane.RunAsync(() =>
            {
                using var handle = Exchange.Open<T>(new(type, "1"));
                handle.Update(change);
                return Task.CompletedTask;
            });

        public T State<T>(string type)
            where T : ILattice<T> => Exchange.Node.Data.Cells.Find(new(type, "1")) is LatticeCell<T> cell ? cell.State : T.Bottom;

        public ValueTask<ClusterReply> AskAsync(
            string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException("Replicas ask nothing.");

        public void Tell(string node, string service, ReadOnlyMemory<byte> payload)
        {
            var (copy, other) = (payload.ToArray(), world._silos[node]);
            other.Lane.Post(() => _ = other._services.AnswerAsync(service, copy, default).AsTask());
        }

        public IDisposable Handle(string service, SiblingHandler handler) => _services.Handle(service, handler);
    }
}
