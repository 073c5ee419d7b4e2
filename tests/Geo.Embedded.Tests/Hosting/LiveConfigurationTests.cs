using System.Net;
using Geo.Directory;
using Geo.Storage.Quorum;
using Geo.Testing.Wan;

namespace Geo.Embedded.Tests;

/// <summary>Three regions whose configuration changes while they run: the links of <c>asia</c> can be cut.</summary>
public sealed class LiveConfigurationTests : IAsyncLifetime
{
    private const string Store = "configuration";

    private static readonly ClusterId Asia = new("asia");
    private static readonly string[] Names = ["us", "eu", "asia"];

    private readonly InMemoryConditionalStore _configuration = new();
    private readonly Dictionary<string, InMemoryConditionalStore> _disks = Names.ToDictionary(c => c, _ => new InMemoryConditionalStore());
    private TestSilo _us = null!;
    private TestSilo _eu = null!;
    private TestSilo _asia = null!;
    private DelayedLink _toUs = null!;
    private DelayedLink _toEu = null!;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _us = await StartAsync("us", ("eu", null), ("asia", null));
        _eu = await StartAsync("eu", ("us", _us.Address), ("asia", null));
        _toUs = DelayedLink.Start(new() { Target = IPEndPoint.Parse(_us.Address) });
        _toEu = DelayedLink.Start(new() { Target = IPEndPoint.Parse(_eu.Address) });
        _asia = await StartAsync("asia", ("us", $"{_toUs.ListeningOn}"), ("eu", $"{_toEu.ListeningOn}"));
        await _us.LinkedAsync("eu", "asia");
        await _eu.LinkedAsync("us", "asia");
    }

    public async ValueTask DisposeAsync()
    {
        await _asia.DisposeAsync();
        await _toUs.DisposeAsync();
        await _toEu.DisposeAsync();
        await _eu.DisposeAsync();
        await _us.DisposeAsync();
    }

    [Fact]
    public async Task A_region_that_is_cut_off_is_taken_out_by_force_and_what_it_had_begins_elsewhere_and_it_may_come_back()
    {
        var first = await Eventually.AnsweredAsync(Grain<QuorumModeTests.Owned>(_asia).Epoch);
        Assert.StartsWith("asia", await Grain<QuorumModeTests.Owned>(_asia).Where(), StringComparison.Ordinal);
        Assert.StartsWith("asia", await Grain<Strict>(_asia).Where(), StringComparison.Ordinal);
        await CutAsync();

        // By majority it is missed already; a pessimistic grain waits for it for good.
        Assert.True(await Eventually.AnsweredAsync(Grain<QuorumModeTests.Owned>(_us).Epoch) > first);
        await Assert.ThrowsAsync<GeoUnavailableException>(Grain<Strict>(_us).Where);
        await ChangeAsync(() => _us.Silo.Configuration!.ForceRemoveAsync([Asia], Stop));
        await Eventually.AnsweredAsync(Grain<Strict>(_us).Epoch);
        Assert.StartsWith("us", await Grain<Strict>(_us).Where(), StringComparison.Ordinal);

        // It lives, reads that it counts no more, and serves none of them from then on.
        await Eventually.HoldsAsync(
            async () => (await Record.ExceptionAsync(Grain<Strict>(_asia).Where)) is GeoUnavailableException, "asia serves no more");

        Heal();
        await ChangeAsync(() => _us.Silo.Configuration!.AddAsync(Asia, [], Stop));
        await Eventually.HoldsAsync(
            async () => (await _us.Silo.Configuration!.DescribeAsync(Stop)) is { Waiting: null } view
                && view.Clusters.Single(c => c.Cluster == Asia).Stage == "member",
            "asia is a member");
        await Eventually.AnsweredAsync(Grain<Strict>(_asia).Epoch);
        Assert.StartsWith("us", await Grain<Strict>(_asia).Where(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_region_that_is_reached_elsewhere_is_dialled_there_while_all_silos_run()
    {
        var us = Grain<Strict>(_us);
        var where = await us.Where();
        await CutAsync();
        await using var moved = DelayedLink.Start(new() { Target = IPEndPoint.Parse(_us.Address) });
        await ChangeAsync(() => _us.Silo.Configuration!.ReachAsync(new("us"), [$"{moved.ListeningOn}"], Stop));
        await _asia.LinkedAsync("us");
        await Eventually.AnsweredAsync(Grain<Strict>(_asia).Epoch);
        Assert.Equal(where, await Grain<Strict>(_asia).Where());
        Assert.NotEqual(0, moved.Connections);
    }

    private static QuorumModeTests.IOwned Grain<TClass>(TestSilo silo) =>
        silo.Grains.GetGrain<QuorumModeTests.IOwned>("a", typeof(TClass).FullName);

    private static async Task ChangeAsync(Func<ValueTask<ConfigurationChange>> change)
    {
        var made = new ConfigurationChange(null, "");
        await Eventually.HoldsAsync(
            async () => (made = await change()).IsMade, "the configuration is changed", seen: () => made.Message);
    }

    private async Task CutAsync()
    {
        _toUs.Cut();
        _toEu.Cut();
        await Eventually.HoldsAsync(() => !_us.Silo.IsLinkedTo(Asia) && !_eu.Silo.IsLinkedTo(Asia), "asia is cut off");
    }

    private void Heal()
    {
        _toUs.Heal();
        _toEu.Heal();
    }

    private Task<TestSilo> StartAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo => geo.AddGrain<QuorumModeTests.Owned>().AddGrain<Strict>()
            .AddQuorumStore(GeoStorage.Quorum, Names, _ => _disks[cluster])
            .AddStore(Store, _ => _configuration).Configure(o =>
            {
                o.ConfigurationStore = Store;
                o.Directory = o.Directory with { ConfigurationRefresh = TimeSpan.FromMilliseconds(200) };
            }),
        others);

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class Strict : Grain, QuorumModeTests.IOwned
    {
        public Task<long> Epoch() => Task.FromResult(this.GetTenancyEpoch());

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);
    }
}
