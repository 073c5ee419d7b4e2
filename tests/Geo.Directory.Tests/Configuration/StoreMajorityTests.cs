using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A cluster that a store by majority cannot spare is not taken out, and the operator is told why.</summary>
public sealed class StoreMajorityTests
{
    private static readonly ClusterId A = new("a"), B = new("b"), C = new("c"), D = new("d");

    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulatedNetwork _network;
    private readonly SimulatedMessenger _messenger;

    public StoreMajorityTests()
    {
        _network = new SimulatedNetwork(_scheduler, new ChoiceTape("network", new Random(1)), new SimulatedNetworkOptions());
        _messenger = _network.Join(A, _scheduler.CreateLane("a"));
        foreach (var other in new[] { B, C, D })
        {
            _network.Join(other, _scheduler.CreateLane(other.Name));
        }
    }

    [Fact]
    public void A_cluster_that_is_needed_for_a_majority_is_named_with_those_that_would_be_left()
    {
        Assert.Null(Needs(C, A, B, C));
        Assert.Null(Needs(D, A, B, C));
        Assert.Null(Needs(A, A, B, C));
        _network.Cut(A, B);
        _network.Cut(B, A);
        var needed = Needs(C, A, B, C);
        Assert.Contains("(a, b, c), of which 2 must answer, and without it a would be left", needed, StringComparison.Ordinal);
        Assert.Contains("without it a would be left", Needs(B, A, B), StringComparison.Ordinal);
        Assert.Null(Needs(B, A, B, C));
    }

    [Fact]
    public void C4_it_is_not_taken_out_and_others_are()
    {
        var world = new KeptClusters(31);
        world.Scheduler.Run(async () =>
        {
            var (a, b) = (await world.StartAsync(world.All[0]), await world.StartAsync(world.All[1]));
            await world.PassAsync(5);
            a.Needs = cluster => cluster == B ? "'b' is needed" : null;
            var refused = await a.Lane.RunAsync(() => a.Administration.RemoveAsync(B).AsTask());
            Assert.Equal("Refused: 'b' is needed.", refused.Message);
            a.Needs = _ => null;
            Assert.True((await world.AskAsync(a, o => o.RemoveAsync(B))).IsMade);
            await world.UntilAsync(() => !a.Works!.Includes(B) && b.Works!.Version == 3);
        });
    }

    private string? Needs(ClusterId leaving, params ClusterId[] keepers) =>
        StoreMajority.Needs([new Kept(keepers)], leaving, _messenger);

    private sealed class Kept(IReadOnlyList<ClusterId> keepers) : IClusterStore
    {
        public Guid Identity => Guid.Empty;

        public IReadOnlyList<ClusterId> Keepers => keepers;

        public IDisposable Join(IClusterMessenger messenger) => throw new NotSupportedException();

        public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }
}
