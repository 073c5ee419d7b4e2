using System.Collections.Concurrent;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Failures;

public sealed class BatchedCasTurmoilTests
{
    [Fact]
    public async Task Every_confirmed_update_is_in_the_version_once_although_the_link_is_cut_and_a_silo_killed()
    {
        var updates = LongRuns.Wanted ? 10_000 : 1_000;
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with { Silos = 2, LosesSilos = true });

        // Both instances are on the second silo of their cluster; that of eu is killed.
        await clusters.Grains("eu", silo: 1).GetGrain<ILedger>("turmoil").Latest();
        await clusters.Grains("us", silo: 1).GetGrain<ILedger>("turmoil").Latest();
        var eu = clusters.Grains("eu").GetGrain<ILedger>("turmoil");
        var us = clusters.Grains("us").GetGrain<ILedger>("turmoil");
        var (confirmed, unknown) = (new ConcurrentBag<int>(), new ConcurrentBag<int>());
        using var room = new SemaphoreSlim(100);
        var running = new List<Task>();
        for (var number = 1; number <= updates; number++)
        {
            await room.WaitAsync(TestContext.Current.CancellationToken);
            running.Add(UpdateAsync(number % 2 == 0 ? eu : us, number));
            if (number == updates / 4)
            {
                clusters.Cut(CutMode.Drop);
            }
            else if (number == updates / 2)
            {
                clusters.Heal();
            }
            else if (number == updates * 3 / 4)
            {
                await clusters.SilosOf("eu")[1].KillAsync();
            }
        }

        await Task.WhenAll(running);

        // Whether an update of unknown outcome took effect is for the version to say; it did so at most once.
        var latest = await Eventually.Succeeds(us.Latest);
        Assert.Equal(latest, await Eventually.Succeeds(eu.Latest));
        Assert.Equal(updates, confirmed.Count + unknown.Count);
        Assert.Equal(latest.Length, latest.Distinct().Count());
        Assert.Empty(confirmed.Except(latest));
        Assert.Empty(latest.Except(confirmed).Except(unknown));
        Assert.InRange(confirmed.Count, updates / 2, updates);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{updates} updates: {confirmed.Count} confirmed, {unknown.Count} of unknown outcome, of which "
            + $"{latest.Length - confirmed.Count} took effect; version {latest.Length}.");

        async Task UpdateAsync(ILedger ledger, int number)
        {
            try
            {
                await ledger.Confirm(number);
                confirmed.Add(number);
            }
            catch (Exception e) when (e is GeoException or OrleansException or TimeoutException)
            {
                unknown.Add(number);
            }
            finally
            {
                room.Release();
            }
        }
    }
}
