namespace Geo.Directory.Tests;

/// <summary>Rows in the state Cached: earlier versions stored them; now where an instance elsewhere is stands in memory alone.</summary>
public sealed class CachedRowTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Theory]
    [InlineData("mars", SingleInstanceMode.Optimistic)]
    [InlineData("mars", SingleInstanceMode.Pessimistic)]
    [InlineData("us", SingleInstanceMode.Optimistic)]
    public void A_row_cached_for_a_cluster_binds_the_grain_to_nothing(string owner, SingleInstanceMode mode)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(Grain), CachedFor(new ClusterId(owner)), null);

            Assert.Null(await silos[0].Directory.LookupAsync(Grain));
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, mode)).Kind);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    private static byte[] CachedFor(ClusterId owner) =>
        new GsiEntry { State = GsiState.Cached, Round = 7, Owner = owner, OwnerNode = "n" }.Encode();
}
