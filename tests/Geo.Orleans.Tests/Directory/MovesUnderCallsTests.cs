using System.Collections.Concurrent;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Storage;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Placement;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

/// <summary>Calls of activations that migrate just then, of Geo's grains and, to compare, of Orleans' own.</summary>
public sealed class MovesUnderCallsTests
{
    private const int Moves = 50;
    private const int AtATime = 10;

    // Nobody is lost here, however busy the machine is.
    private static readonly TimeSpan Lease = TimeSpan.FromMinutes(2);

    // What the silo that they move to waits for each look at the rows, so that calls come before it has written that they are there.
    private static readonly TimeSpan WayToRows = TimeSpan.FromMilliseconds(30);

    [Theory]
    [InlineData("nomad-of-a-cluster", new[] { "eu" })]
    [InlineData("nomad-in-rounds", new[] { "eu", "us" })]
    public async Task Calls_that_come_while_activations_move_find_what_these_had_in_memory(string type, string[] callers)
    {
        var (rows, firsts) = (new ConcurrentDictionary<string, IConditionalStore>(), new ConcurrentDictionary<string, SiloAddress>());
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            SilosIn = new Dictionary<string, int> { ["eu"] = 2 },
            LeaseDuration = Lease,
            Directory = directory => directory with { TakeoverTimeout = Lease * 3 },
            DeadLinkAfter = Lease,
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.UnionWith(
                [typeof(NomadOfACluster), typeof(NomadInRounds)])),
            Geo = geo => geo.UseRowStore(services => WayOf(services, rows)),
        });
        var silos = await clusters.AcquaintedAsync("eu");

        for (var moved = 0; moved < Moves; moved += AtATime)
        {
            await Task.WhenAll(Enumerable.Range(moved, AtATime).Select(i => MoveAsync($"{type}-{i}")));
        }

        async Task MoveAsync(string key)
        {
            INomad[] nomads =
            [
                .. callers.SelectMany(clusters.SilosOf).Select(silo => silo.Grains.GetGrain<INomad>(GrainId.Create(type, key))),
            ];
            Assert.Equal(1, await nomads[0].Call());
            Assert.Equal(silos[0], await nomads[0].Where());

            using var moved = new CancellationTokenSource();
            var calling = Task.WhenAll(nomads.Select(nomad => CallUntilAsync(nomad, moved.Token)));

            await nomads[0].MoveTo(silos[1]);
            await Eventually.Is(true, async () => await nomads[^1].Where() == silos[1] || Nomad.Begun[key] > 1);

            await moved.CancelAsync();
            var calls = 1 + (await calling).Sum();
            Assert.Equal((key, 1), (key, Nomad.Begun[key]));
            Assert.Equal(calls + 1, await nomads[0].Call());
            Assert.Equal(silos[1], await nomads[0].Where());
        }

        // Silos start one after another: the first one of its cluster is near.
        IConditionalStore WayOf(IServiceProvider services, ConcurrentDictionary<string, IConditionalStore> stores)
        {
            var cluster = services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId;
            var silo = services.GetRequiredService<ILocalSiloDetails>().SiloAddress;
            var store = stores.GetOrAdd(cluster, _ => new InMemoryConditionalStore());
            return firsts.GetOrAdd(cluster, silo).Equals(silo) ? store
                : new LatencyConditionalStore(store, WayToRows, TimeProvider.System);
        }
    }

    private static async Task<int> CallUntilAsync(INomad nomad, CancellationToken ended)
    {
        var calls = 0;
        for (; !ended.IsCancellationRequested; calls++)
        {
            await nomad.Call();
        }

        return calls;
    }

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("nomad-of-a-cluster")]
    [PreferLocalPlacement]
    private sealed class NomadOfACluster(ILocalSiloDetails silo) : Nomad(silo);

    [GrainType("nomad-in-rounds")]
    [GlobalSingleInstance, PreferLocalPlacement]
    private sealed class NomadInRounds(ILocalSiloDetails silo) : Nomad(silo);

    private abstract class Nomad(ILocalSiloDetails silo) : Grain, INomad, IGrainMigrationParticipant
    {
        /// <summary>How often each began without what an activation before it had.</summary>
        public static readonly ConcurrentDictionary<string, int> Begun = new();

        private int? _calls;

        public override Task OnActivateAsync(CancellationToken cancellationToken)
        {
            if (_calls is null)
            {
                Begun.AddOrUpdate(this.GetPrimaryKeyString(), 1, (_, count) => count + 1);
                _calls = 0;
            }

            return Task.CompletedTask;
        }

        public Task<int> Call() => Task.FromResult((++_calls)!.Value);

        public Task<SiloAddress> Where() => Task.FromResult(silo.SiloAddress);

        public Task MoveTo(SiloAddress to)
        {
            RequestContext.Set(IPlacementDirector.PlacementHintKey, to);
            MigrateOnIdle();
            return Task.CompletedTask;
        }

        public void OnDehydrate(IDehydrationContext dehydrationContext) => dehydrationContext.TryAddValue(nameof(_calls), _calls!.Value);

        public void OnRehydrate(IRehydrationContext rehydrationContext) =>
            _calls = rehydrationContext.TryGetValue(nameof(_calls), out int calls) ? calls : null;
    }
}
