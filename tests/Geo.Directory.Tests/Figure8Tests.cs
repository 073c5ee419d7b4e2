namespace Geo.Directory.Tests;

/// <summary>
/// What an access to a single-instance grain costs: the inter-cluster round trips of GEO's Figure 8 in every cell, and the operations of
/// the clusters' row stores.
/// </summary>
public sealed class Figure8Tests
{
    private const string CallService = "test.call";

    [Theory]
    [MemberData(nameof(World.TwoToEightClusters), MemberType = typeof(World))]
    public void An_access_costs_the_round_trips_of_Figure_8_and_a_bounded_number_of_store_operations(int clusters)
    {
        var world = new World(1, [.. "abcdefgh".Take(clusters).Select(name => name.ToString())]);
        World.Run(world, async silos =>
        {
            foreach (var silo in silos)
            {
                silo.Messenger.Handle(
                    CallService, (message, _) => new(new byte[] { (byte)(silo.Instances.Contains(World.Grain) ? 1 : 0) }));
            }

            await world.PassAsync(1);
            foreach (var owner in silos)
            {
                foreach (var remote in silos.Where(s => s != owner))
                {
                    await CostsAsync(world, silos, owner, trips: 1, own: (1, 2), others: (1, 0));
                    await CostsAsync(world, silos, owner, trips: 0, own: (1, 0), others: (0, 0));
                    await CostsAsync(world, silos, remote, trips: 2, own: (1, 2), others: (1, 0));
                    await CostsAsync(world, silos, remote, trips: 1, own: (0, 0), others: (0, 0));
                    await CostsAsync(world, silos, owner, trips: 0, own: (1, 0), others: (0, 0));

                    var before = Operations(silos);
                    await owner.EndAsync(World.Grain);
                    await world.PassAsync(1);
                    Assert.Equal([.. silos.Select(s => s == owner ? (0, 1) : (0, 0))], Since(before, silos));
                }
            }
        });
    }

    private static async Task CostsAsync(
        World world, Silo[] silos, Silo caller, int trips, (int Reads, int Writes) own, (int Reads, int Writes) others)
    {
        var before = Operations(silos);
        var took = await world.MeasureAsync(async () =>
        {
            var placement = await caller.CallAsync(World.Grain);
            if (placement.Kind == PlacementKind.Elsewhere)
            {
                var reply = await caller.Messenger.RequestAsync(placement.Cluster, CallService, Array.Empty<byte>());
                Assert.Equal(1, reply.Payload.Span[0]);
            }
        });

        Assert.Equal(trips * World.RoundTrip, took);
        Assert.Equal([.. silos.Select(s => s == caller ? own : others)], Since(before, silos));
    }

    private static (int Reads, int Writes)[] Operations(Silo[] silos) => [.. silos.Select(s => (s.Rows.Reads, s.Rows.Writes))];

    private static (int Reads, int Writes)[] Since((int Reads, int Writes)[] before, Silo[] silos) =>
        [.. Operations(silos).Zip(before, (now, then) => (now.Reads - then.Reads, now.Writes - then.Writes))];
}
