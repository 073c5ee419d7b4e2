using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;
using Orleans.Core.Internal;
using Orleans.GrainDirectory;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

/// <summary>Single instances that migrate within a cluster, of either kind of directory.</summary>
public sealed class QuorumMigrationTests
{
    private static readonly TimeSpan Lease = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData("roaming-by-majority")]
    [InlineData("roaming-in-rounds")]
    public async Task A_call_by_an_old_address_begins_no_second_instance_where_one_has_just_migrated_from(string type)
    {
        var owners = new InMemoryConditionalStore();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["us"],
            Silos = 2,
            LeaseDuration = Lease,
            Directory = directory => directory with { TakeoverTimeout = Lease * 3 },
            Silo = silo => silo.Configure<GrainTypeOptions>(
                types => types.Classes.UnionWith([typeof(RoamingByMajority), typeof(RoamingInRounds)])),
            Geo = geo => geo.AddStore(GeoStorage.Quorum, _ => owners).ConfigureQuorum(new QuorumDirectoryOptions { LeaseDuration = Lease }),
        });
        var grain = clusters.Grains("us").GetGrain<IStrictSpot>(GrainId.Create(type, "migrant"));
        await Eventually.Succeeds(() => grain.Where());
        var silos = clusters.SilosOf("us").Select(silo => silo.Services).ToArray();
        var from = silos.Single(silo => Tenancy(silo) is not null);
        var to = silos.Single(silo => silo != from);

        // One without a lease takes nothing over.
        await Eventually.Is(true, () => Task.FromResult(to.GetRequiredService<GeoSilo>().Directories.Quorum!.MayServe));

        // Nor is a grain moved to a silo of which it is not known yet what it can have: it would stay.
        await clusters.AcquaintedAsync("us");
        var ending = Roaming.HoldEnds();
        RequestContext.Set(IPlacementDirector.PlacementHintKey, AddressOf(to));
        await grain.Cast<IGrainManagementExtension>().MigrateOnIdle(TestContext.Current.CancellationToken);
        RequestContext.Clear();
        await ending.HasBegun.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        await Eventually.Is(true, () => Task.FromResult(Tenancy(to) is not null));

        // As Orleans asks for the new activation that a late message brings about, now that it has let go of the old one.
        var directory = from.GetRequiredKeyedService<IGrainDirectory>(GeoGrainDirectory.Name);
        var late = new GrainAddress { GrainId = grain.GetGrainId(), SiloAddress = AddressOf(from), ActivationId = ActivationId.NewId() };
        var registered = await directory.Register(late, previousAddress: null, TestContext.Current.CancellationToken);
        ending.End();

        Assert.Equal(AddressOf(to), registered?.SiloAddress);
        Assert.Null(Tenancy(from));

        long? Tenancy(IServiceProvider silo) => silo.GetRequiredService<GeoSilo>().Directories
            .Of(type == "roaming-by-majority" ? SingleInstanceMode.Quorum : default).TenancyOf(GrainNames.ToKey(grain.GetGrainId()));

        static SiloAddress AddressOf(IServiceProvider silo) => silo.GetRequiredService<ILocalSiloDetails>().SiloAddress;
    }

    /// <summary>
    /// Its lease is lost while a call runs on an instance that is to migrate: by the time that it does, another one has had the grain, and
    /// what it would bring along is old.
    /// </summary>
    [Fact]
    public async Task What_migrates_after_its_lease_was_lost_brings_nothing_along()
    {
        var owners = new InMemoryConditionalStore();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["us"],
            Silos = 2,
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(Carrier))),
            Geo = geo => geo.AddStore(GeoStorage.Quorum, _ => owners),
        });
        var id = GrainId.Create("carrier", "a");
        var grain = clusters.Grains("us").GetGrain<ICarrier>(id);
        await Eventually.Succeeds(() => grain.Add(0));
        var silos = clusters.SilosOf("us").Select(silo => silo.Services).ToArray();
        var from = silos.Single(silo => Has(silo));
        var to = silos.Single(silo => silo != from);
        await Eventually.Is(true, () => Task.FromResult(to.GetRequiredService<GeoSilo>().Directories.Quorum!.MayServe));
        await clusters.AcquaintedAsync("us");

        var held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Carrier.Held = held.Task;
        RequestContext.Set(IPlacementDirector.PlacementHintKey, to.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        var running = grain.MigrateAfterWait();
        RequestContext.Clear();
        var row = OwnerRow.Decode((await owners.ReadAsync(
            OwnerRow.KeyOf(GrainNames.ToKey(id)), TestContext.Current.CancellationToken)).Value.Span);
        await FenceAsync(owners, LeaseRow.KeyOf(row.Lease));
        await Eventually.Is(false, () => Task.FromResult(Has(from)));

        // As on a silo of another cluster, which nobody of this one asks.
        var next = GrainNames.ToNode(to.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        var owned = to.GetRequiredService<GeoSilo>().Directories.Quorum!;
        await Eventually.Is(next, async () => (await owned.AcquireAsync(
            GrainNames.ToKey(id), next, SingleInstanceMode.Quorum, TestContext.Current.CancellationToken)).Node);
        Carrier.Stored = 7;
        await owned.ReleaseAsync(GrainNames.ToKey(id), next);
        held.SetResult();
        await Assert.ThrowsAnyAsync<Exception>(() => running);

        Assert.Equal(8, await Eventually.Succeeds(() => grain.Add(1)));

        bool Has(IServiceProvider silo) =>
            silo.GetRequiredService<GeoSilo>().Directories.Quorum!.TenancyOf(GrainNames.ToKey(id)) is not null;
    }

    private static async Task FenceAsync(InMemoryConditionalStore store, string lease)
    {
        var fence = new LeaseRow { IsFenced = true, Duration = TimeSpan.FromTicks(1) }.Encode();
        await Eventually.Is(StoreWriteOutcome.Applied, async () =>
        {
            var read = await store.ReadAsync(lease, TestContext.Current.CancellationToken);
            return (await store.WriteAsync(lease, fence, read.ETag, TestContext.Current.CancellationToken)).Outcome;
        });
    }

    public interface ICarrier : IGrainWithStringKey
    {
        Task<int> Add(int more);

        Task MigrateAfterWait();
    }

    /// <summary>Takes its state along, and reads what is stored only where it brings none, as Orleans' own storage of grains.</summary>
    [GrainType("carrier")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class Carrier : Grain, ICarrier, IGrainMigrationParticipant
    {
        private int? _sum;

        public static Task Held { get; set; } = Task.CompletedTask;

        public static int Stored { get; set; }

        public Task<int> Add(int more)
        {
            _sum = (_sum ?? Stored) + more;
            return Task.FromResult(_sum.Value);
        }

        public Task MigrateAfterWait()
        {
            MigrateOnIdle();
            return Held;
        }

        public void OnDehydrate(IDehydrationContext dehydrationContext) => dehydrationContext.TryAddValue(nameof(_sum), _sum ?? 0);

        public void OnRehydrate(IRehydrationContext rehydrationContext)
        {
            if (rehydrationContext.TryGetValue(nameof(_sum), out int sum))
            {
                _sum = sum;
            }
        }
    }

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("roaming-by-majority")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class RoamingByMajority : Roaming;

    [GrainType("roaming-in-rounds")]
    [GlobalSingleInstance]
    private sealed class RoamingInRounds : Roaming;

    private abstract class Roaming : Grain, IStrictSpot, IAsyncDisposable
    {
        private static HeldEnd? _ending;

        /// <summary>Holds up the next end: Orleans has let go of the activation, and waits for it.</summary>
        public static HeldEnd HoldEnds() => _ending = new();

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);

        public ValueTask DisposeAsync() => Interlocked.Exchange(ref _ending, null) is { } ending ? new(ending.WaitAsync()) : default;
    }

    private sealed class HeldEnd
    {
        private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task HasBegun => _begun.Task;

        public void End() => _end.TrySetResult();

        public Task WaitAsync()
        {
            _begun.TrySetResult();
            return _end.Task;
        }
    }
}
