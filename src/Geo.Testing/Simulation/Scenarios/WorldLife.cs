using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Geo.Testing;

/// <summary>What a scenario waits for.</summary>
public static class WorldLife
{
    // How often a condition is looked at.
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// Ends all faults, starts what is down and lets the clusters settle. From then on the world must be in order, or the run fails: every
    /// call of <see cref="CallAsync"/> has ended, no directory row is Requested, Doubtful or yielding, and no single-instance grain has two
    /// instances.
    /// </summary>
    /// <remarks>
    /// Takes, in virtual time, one request time-out and one lifetime of a round, one scan and three tries of Doubtful rows, as the silos'
    /// options have them: with the defaults less than two minutes; a little more where clusters have several silos.
    /// </remarks>
    public static async Task HealAsync(this SimulationWorld world)
    {
        ArgumentNullException.ThrowIfNull(world);
        await world.EndFaultsAsync();
        await world.PassAsync(world.Clusters.SelectMany(c => c.Silos).Max(SettleTime));
        if (world.OpenCalls > 0)
        {
            world.Fail($"{world.OpenCalls} calls have not ended although everything has healed");
        }

        world.Watch.CheckSettled();
    }

    /// <summary>
    /// Lets faults of some kinds come and go at random for a while, in all clusters; run it beside <see cref="CallAsync"/>. What is broken
    /// at the end stays so until <see cref="HealAsync"/>.
    /// </summary>
    /// <param name="world">The world.</param>
    /// <param name="kinds">
    /// Which kinds; those that a world has no place for, such as a silo's own links in clusters of one silo, do nothing.
    /// </param>
    /// <param name="time">How long new faults come.</param>
    public static async Task RandomFaultsAsync(this SimulationWorld world, SimulatedFaults kinds, TimeSpan time)
    {
        ArgumentNullException.ThrowIfNull(world);
        RandomFaults.SetUp(world, kinds);
        var faults = new RandomFaults(world, kinds);
        faults.Begin();
        await faults.RunAsync(world.Time.Elapsed + time);
        faults.End();
    }

    /// <summary>Waits until a condition holds; the run fails when it takes longer than it may.</summary>
    /// <param name="world">The world.</param>
    /// <param name="condition">Looked at every 10 ms of virtual time.</param>
    /// <param name="within">How long it may take, in virtual time.</param>
    /// <param name="what">What is waited for, for the message.</param>
    public static async Task UntilAsync(
        this SimulationWorld world, Func<bool> condition, TimeSpan within,
        [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(world);
        ArgumentNullException.ThrowIfNull(condition);
        for (var deadline = world.Time.Elapsed + within; !condition(); await world.PassAsync(Glance))
        {
            if (world.Time.Elapsed >= deadline)
            {
                world.Fail($"within {within} it never was so that {what}");
                return;
            }
        }
    }

    /// <summary>
    /// Lets clients outside of the silos call at random for a while, each one call after the other, with pauses of 5 to 300 ms.
    /// </summary>
    /// <param name="world">The world.</param>
    /// <param name="perCluster">How many clients each cluster has.</param>
    /// <param name="time">How long they begin new calls.</param>
    /// <param name="call">One call of one client; what it does at random it takes from the choices. Its exceptions fail the run.</param>
    public static Task CallAsync(this SimulationWorld world, int perCluster, TimeSpan time, Func<SimulatedClient, ChoiceTape, Task> call)
    {
        ArgumentNullException.ThrowIfNull(world);
        ArgumentNullException.ThrowIfNull(call);
        var until = world.Time.Elapsed + time;
        return Task.WhenAll([.. world.Clusters.SelectMany(c => Enumerable.Range(0, perCluster).Select(_ => OneAsync(c.Client())))]);

        async Task OneAsync(SimulatedClient client)
        {
            var choices = world.Choices.Tape($"client {client.Name}");
            while (world.Time.Elapsed < until && choices.HasMore)
            {
                Task calling;
                using (choices.Span(client.Name))
                {
                    await world.PassAsync(choices.Between(TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(300)));
                    calling = call(client, choices);
                }

                world.OpenCalls++;
                world.Trace.Note($"{client.Name} calls");
                await calling;
                world.Trace.Note($"{client.Name} is done");
                world.OpenCalls--;
            }
        }
    }

    private static TimeSpan SettleTime(SimulatedSilo silo)
    {
        var options = silo.Services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value;
        var settled = options.RequestTimeout + options.Directory.RoundLifetime + options.Directory.ScanInterval
            + (3 * options.Directory.ResolveInterval);
        return silo.Cluster.Siblings is null ? settled
            : settled + options.Directory.ScanTurn + SimulatedCluster.MaxNoticed + (4 * silo.Cluster.SiloOptions.LeaseDuration);
    }
}
