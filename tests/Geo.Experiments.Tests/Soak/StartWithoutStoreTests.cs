using System.Collections.Concurrent;
using Geo.Experiments.Soak;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Shop;
using Geo.Experiments.Soak.Stores;
using Geo.Processes;
using Geo.Processes.Stores;

namespace Geo.Experiments.Tests.Soak;

/// <summary>A region that must start while its store is away.</summary>
public sealed class StartWithoutStoreTests
{
    private static readonly Fault StoreRestart = new(FaultKind.StoreRestart, 0, TimeSpan.Zero, TimeSpan.Zero);
    private static readonly Fault Kill = new(FaultKind.Kill, 0, TimeSpan.Zero, TimeSpan.Zero);
    private static readonly Fault Freeze = Kill with { Kind = FaultKind.Freeze };

    [Fact]
    public async Task A_region_is_started_until_its_store_is_back_and_serves_what_is_stored()
    {
        Assert.SkipWhen(PostgresServer.Absence is not null, PostgresServer.Absence ?? "");
        using var logs = new TemporaryFolder();
        var options = new SoakOptions(
            SoakStoreKind.Postgres, TimeSpan.FromMinutes(1), 1, 1, SoakOptions.DefaultStartWithin, Path.GetDirectoryName(logs.File("us"))!);
        var failures = new ConcurrentQueue<string>();
        var failed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var deployment = new Deployment(options, new Starts(options.StartWithin, TimeProvider.System, OnFailed));
        await deployment.StartAsync(TestContext.Current.CancellationToken);
        var us = deployment.Regions[0];
        var supplied = await Articles.Of(us.Grains, 1).Place(new Order("ann", 1, 5, IsSupply: true));

        Assert.True(await deployment.BeginAsync(Kill));
        Assert.False(await deployment.BeginAsync(Kill));
        Assert.False(await deployment.BeginAsync(Freeze));
        Assert.True(await deployment.BeginAsync(StoreRestart));
        var starting = deployment.EndAsync(Kill);
        await failed.Task.WaitAsync(options.StartWithin, TestContext.Current.CancellationToken);
        Assert.False(us.IsServing);
        await deployment.EndAsync(StoreRestart);
        await starting;

        Assert.True(us.IsServing);
        Assert.All(failures, failure => Assert.Contains("store", failure, StringComparison.OrdinalIgnoreCase));
        Assert.Null(us.TakeFailure());
        Assert.Equal(supplied, (await ReadAsync(us)).AccountOf("ann"));

        void OnFailed(string why)
        {
            failures.Enqueue(why);
            failed.TrySetResult();
        }
    }

    /// <summary>The client is connected again a little after the region serves.</summary>
    private static async Task<StockState> ReadAsync(Region region)
    {
        using var limit = new CancellationTokenSource(SoakOptions.ReadWithin);
        while (true)
        {
            try
            {
                return await Articles.Of(region.Grains, 1).Read();
            }
            catch (GeoUnavailableException) when (!limit.IsCancellationRequested)
            {
                await Task.Yield();
            }
        }
    }
}
