using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Orderly stops while others go on with their updates.</summary>
public sealed class LatticeStopUnderLoadTests
{
    [Theory]
    [InlineData(50, 50)]
    [InlineData(20, 180)]
    [InlineData(150, 150)]
    public void A_holder_stops_soon_though_a_guest_of_an_earlier_life_does_not_answer_and_others_update_all_the_time(int least, int most)
    {
        var world = new LatticeWorld(
            1, ["a", "b", "c", "d"],
            new() { MinDelay = TimeSpan.FromMilliseconds(least), MaxDelay = TimeSpan.FromMilliseconds(most) },
            new LatticeOptions { HotRate = 1, HotFor = TimeSpan.FromSeconds(4) }, replicas: 3);
        world.Run(async () =>
        {
            await world.Delay(2);
            var grain = Enumerable.Range(0, 200).Select(i => new GrainKey("counter", $"{i}")).First(g => !world.IsHeldIn("a", g));
            for (var i = 0; i < 4; i++)
            {
                await world.Count("a", grain.Key, 1);
            }

            await world.Delay(2);
            Assert.True(world.IsHeldIn("a", grain));
            world.Crash("a");
            await world.Delay(1);
            world.Start("a");
            await world.Delay(5);
            var before = world.Scheduler.Time.GetTimestamp();
            var stop = world.StopAsync("b", 60);
            while (!stop.IsCompleted)
            {
                await world.Count("c", grain.Key, 1);
                await world.Count("d", grain.Key, 1);
                await world.Delay(0.03);
            }

            Assert.True(await stop);
            Assert.InRange(world.Scheduler.Time.GetElapsedTime(before).TotalSeconds, 0, 10);
        });
    }

    /// <summary>
    /// A holder that is linked, and does not answer for a while (it is busy, or all that comes from it is lost): the others have all.
    /// </summary>
    [Theory]
    [InlineData(50, 50)]
    [InlineData(20, 180)]
    public void A_silo_stops_soon_though_others_update_all_the_time(int least, int most)
    {
        var world = new LatticeWorld(
            1, ["a", "b", "c", "d"],
            new() { MinDelay = TimeSpan.FromMilliseconds(least), MaxDelay = TimeSpan.FromMilliseconds(most), Loss = 0.2 });
        world.Run(async () =>
        {
            await world.Delay(5);
            for (var i = 0; i < 100; i++)
            {
                foreach (var name in world.Live)
                {
                    await world.Count(name, "x", 1);
                }

                await world.Delay(0.03);
            }

            var before = world.Scheduler.Time.GetTimestamp();
            var stop = world.StopAsync("b", 60);
            while (!stop.IsCompleted)
            {
                await world.Count("a", "x", 1);
                await world.Count("c", "x", 1);
                await world.Count("d", "x", 1);
                await world.Delay(0.03);
            }

            Assert.True(await stop);
            Assert.InRange(world.Scheduler.Time.GetElapsedTime(before).TotalSeconds, 0, 10);
        });
    }
}
