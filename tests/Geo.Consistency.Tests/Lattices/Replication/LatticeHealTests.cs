using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What the end of a long cut costs, in virtual time: round trips and bytes, not the work of merging.</summary>
public sealed class LatticeHealTests
{
    private const int Keys = 100_000;

    [Fact]
    public void After_a_minute_apart_100_000_keys_agree_within_seconds_and_for_less_than_three_times_the_bytes_of_the_difference()
    {
        var oneWay = TimeSpan.FromMilliseconds(72.5);
        var world = new LatticeWorld(1, ["a", "b"], new() { MinDelay = oneWay, MaxDelay = oneWay });
        world.Run(async () =>
        {
            await world.Delay(1);
            await ChangeAsync(world, "a", 0);
            await ChangeAsync(world, "b", 0);
            await world.Delay(20);
            world.Network.Isolate(new("a"));
            await ChangeAsync(world, "a", 0);
            await ChangeAsync(world, "b", Keys / 2);
            await world.Delay(60);
            var sent = world.BytesSent;
            world.Network.Heal();
            var healed = world.Scheduler.Time.Elapsed;
            while (!AreEqual(world))
            {
                await world.Delay(0.1);
            }

            var took = world.Scheduler.Time.Elapsed - healed;
            await world.Delay(30);
            var (bytes, difference) = (world.BytesSent - sent, Keys * BytesOfOneChange());
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"{Keys} keys agree {took.TotalSeconds:F1} s after the heal; {bytes} bytes were sent, {(double)bytes / difference:F2} "
                + $"times the {difference} of the difference");
            Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromSeconds(10));
            Assert.InRange(bytes, 0, 3 * difference);
        });
    }

    /// <summary>Half of the keys, from one on.</summary>
    private static Task ChangeAsync(LatticeWorld world, string cluster, int from) => world.At(cluster, exchange =>
    {
        for (var i = from; i < from + (Keys / 2); i++)
        {
            using var handle = exchange.Open<PnCounter>(new("counter", $"{i}"));
            handle.Update((s, o) => s.Add(o.Source, 1));
        }
    });

    private static bool AreEqual(LatticeWorld world)
    {
        var (a, b) = (world["a"].Node.Data.Cells, world["b"].Node.Data.Cells);
        return a.Count == Keys && b.Count == Keys && Enumerable.Range(0, LatticeCells.Buckets).SelectMany(a.In)
            .All(cell => ((LatticeCell<PnCounter>)cell).State.Equals(((LatticeCell<PnCounter>)b.Find(cell.Key)!).State));
    }

    /// <summary>A key and a row of a counter.</summary>
    private static long BytesOfOneChange()
    {
        var writer = new LatticeWriter();
        writer.Body.WriteText("54321");
        PnCounter.Bottom.Add(new(1), 1).Write(writer);
        return writer.Body.Written.Length;
    }
}
