using Geo.Testing;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>A silo that stops in good order, and leads many grains.</summary>
public sealed class HandOverTests
{
    private static readonly ClusterId[] Three = [new("a"), new("b"), new("c")];

    private readonly SimulationScheduler _scheduler = new(order: new ChoiceTape("order", new Random(1)));
    private readonly SimulatedNetwork _network;
    private readonly Dictionary<ClusterId, (SimulationLane Lane, ReplicaExchange Exchange)> _clusters = [];

    public HandOverTests() => _network = new(_scheduler, new ChoiceTape("network", new Random(2)), new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    });

    [Theory]
    [InlineData(2, UpdateConfirmation.Leader)]
    [InlineData(3, UpdateConfirmation.Replicated)]
    public void All_grains_that_a_silo_leads_are_led_elsewhere_when_it_has_stopped(int clusters, UpdateConfirmation confirmation)
    {
        const int Grains = 2_000;
        var memories = Lead(Grains, clusters, confirmation);
        _scheduler.Run(async () =>
        {
            var before = _scheduler.Time.Elapsed;
            await Stop(Three[0]);
            Assert.InRange(_scheduler.Time.Elapsed - before, TimeSpan.Zero, TimeSpan.FromSeconds(1));
        });

        Assert.All(memories, m => Assert.NotEqual(Three[0], m.Replica.Log.At.Cluster));
        Assert.Equal(Grains, Three[1..clusters].Sum(c => _clusters[c].Exchange.Memories.All.Count(m => m.Replica.Leadership is not null)));
    }

    [Fact]
    public void A_cluster_that_does_not_answer_keeps_no_grain_from_another_that_does()
    {
        var memories = Lead(2_000, 3, UpdateConfirmation.Replicated);
        _scheduler.Run(async () =>
        {
            _network.Isolate(Three[2]);
            await Stop(Three[0]);
        });

        Assert.All(memories, m => Assert.True(
            m.Replica.Log.At.Cluster == Three[1] || LeaderChoice.Order(m.Key, default, Three).First(c => c != Three[0]) == Three[2]));
        Assert.Contains(memories, m => m.Replica.Log.At.Cluster == Three[1]);
    }

    /// <summary>The first cluster leads so many grains.</summary>
    private List<ReplicaMemory> Lead(int grains, int clusters, UpdateConfirmation confirmation)
    {
        foreach (var cluster in Three[..clusters])
        {
            var lane = _scheduler.CreateLane(cluster.Name);
            var exchange = new ReplicaExchange(
                _network.Join(cluster, lane), () => Three[..clusters], (_, _) => new(false), _scheduler.Time, new Random(cluster.Name[0]));
            exchange.Memories.Home = lane;
            _clusters[cluster] = (lane, exchange);
        }

        var memories = new List<ReplicaMemory>();
        _scheduler.Run(() => _clusters[Three[0]].Lane.RunAsync(async () =>
        {
            for (var i = 0; i < grains; i++)
            {
                var memory = _clusters[Three[0]].Exchange.Memories.GetOrCreate(new("notes", $"{i}"));
                memory.Confirmation = confirmation;
                memories.Add(memory);
            }

            foreach (var leading in memories.ConvertAll(m => m.LeadAsync()))
            {
                Assert.Null(await leading);
            }

            // Until the others have their seats.
            await Task.Delay(TimeSpan.FromSeconds(2), _scheduler.Time);
        }));
        return memories;
    }

    private Task Stop(ClusterId cluster) => _clusters[cluster].Lane.RunAsync(_clusters[cluster].Exchange.HandOverAsync);
}
