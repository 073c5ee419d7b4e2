using ByteArraySample;
using Geo.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// The same silos in the simulator: what the protocols wait for, to the millisecond, and nothing of what a machine takes to compute.
/// </summary>
internal sealed class VirtualLatency(TimeSpan roundTrip, TimeSpan storage)
{
    /// <summary>The times in ms, by row and access.</summary>
    public double[][] Measure()
    {
        double[][] measured = [.. LatencyRows.All.Select(row => new double[row.Paper.Length])];
        GeoSimulation.Explore(seeds: 1, async world =>
        {
            (world.Network.Options.MinDelay, world.Network.Options.MaxDelay) = (roundTrip / 2, roundTrip / 2);
            var (near, far) = (world.AddCluster(Arrays.Near, Configure), world.AddCluster(Arrays.Far, Configure));
            await world.StartAsync();
            SetStore(world, near, storage);
            SetStore(world, far, roundTrip);
            await world.PassAsync(TimeSpan.FromSeconds(1));
            for (var row = 0; row < measured.Length; row++)
            {
                for (var access = 0; access < measured[row].Length; access++)
                {
                    var (of, key) = (LatencyRows.All[row], $"{row}/{access}");
                    foreach (var step in LatencyAccess.OfRow[access].Steps(of))
                    {
                        var took = await CallAsync(world, step.IsNear ? near : far, grains => RegionWork.AccessAsync(
                            grains.GetGrain<IByteArray>(key, of.Class), 0, step.IsUpdate, of.IsLatest));
                        measured[row][access] = took.TotalMilliseconds;
                    }
                }
            }
        });
        return measured;
    }

    private static void SetStore(SimulationWorld world, SimulatedCluster cluster, TimeSpan time)
    {
        var options = world.Store(GeoStorage.Default).From(cluster.Id).Options;
        (options.MinDelay, options.MaxDelay) = (time, time);
    }

    private static async Task<TimeSpan> CallAsync(SimulationWorld world, SimulatedCluster from, Func<IGrainFactory, Task> call)
    {
        var took = TimeSpan.Zero;
        await from[0].RunAsync(async () =>
        {
            var before = world.Time.Elapsed;
            await call(from[0].Grains);
            took = world.Time.Elapsed - before;
        });

        // What the call has set in motion comes to its end.
        await world.PassAsync(TimeSpan.FromSeconds(1));
        return took;
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrains(typeof(IByteArray).Assembly));
    }
}
