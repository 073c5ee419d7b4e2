using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>A receiver that does not keep up costs its sender a window, and no queue.</summary>
public sealed class LatticeFlowTests
{
    [Fact]
    public void What_a_sender_keeps_for_a_slow_receiver_is_bounded_by_its_grains_and_not_by_its_updates()
    {
        const int Grains = 20;
        var options = new LatticeOptions { MaxBytesInFlight = 4096, MaxFrameBytes = 1024, RetryAfter = TimeSpan.FromSeconds(1) };
        var world = new LatticeWorld(
            1, ["a", "b"], new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) }, options);
        world.Run(async () =>
        {
            await world.Delay(1);

            // It receives, and its acknowledgements never come.
            world.Network.Cut(new("b"), new("a"));
            var (sent, inFlight) = (world.BytesSent, 0L);
            for (var round = 0; round < 300; round++)
            {
                for (var i = 0; i < Grains; i++)
                {
                    await world.Put("a", $"{i}", $"item {round % 5}");
                }

                await world.Delay(0.1);
                inFlight = Math.Max(inFlight, Assert.Single(world["a"].Node.Peers.All).BytesInFlight);
                Assert.All(world["a"].Node.Data.Cells.All, cell => Assert.InRange(cell.Kept, 0, LatticeCell<PnCounter>.MaxSegments));
            }

            Assert.Equal(Grains, world["a"].Node.Data.Cells.Count);
            Assert.InRange(inFlight, 1, options.MaxBytesInFlight + (2 * options.MaxFrameBytes));

            // 30 s of updates at 50 KB an epoch and more; what was sent is what fits into windows, and what was tried
            // again ever more seldom.
            Assert.InRange(world.BytesSent - sent, 1, 30 * (options.MaxBytesInFlight + (2L * options.MaxFrameBytes)));
            world.Network.Heal();
            await world.Delay(15);
            Assert.Equal(world.Contents("a"), world.Contents("b"));
            Assert.All(world["a"].Node.Data.Cells.All, cell => Assert.Equal(0, cell.Kept));
            Assert.Equal(0, Assert.Single(world["a"].Node.Peers.All).BytesInFlight);
        });
    }
}
