using System.Net;
using Geo.Storage.Quorum;
using Geo.Testing.Wan;

namespace Geo.Embedded.Tests;

/// <summary>
/// Two regions, and a witness: a cluster without grains, which keeps its part of the store in which a majority says who owns what.
/// </summary>
public sealed class QuorumWitnessTests
{
    private static readonly string[] Clusters = ["us", "eu", "witness"];

    private readonly Dictionary<string, InMemoryConditionalStore> _disks =
        Clusters.ToDictionary(c => c, _ => new InMemoryConditionalStore());

    [Fact]
    public async Task Two_regions_and_a_witness_go_on_through_a_cut_and_through_the_loss_of_a_region()
    {
        await using var witness = await StartAsync("witness", ("us", null), ("eu", null));
        var us = await StartAsync("us", ("witness", witness.Address), ("eu", null));
        await using var toWitness = DelayedLink.Start(new() { Target = IPEndPoint.Parse(witness.Address) });
        await using var toUs = DelayedLink.Start(new() { Target = IPEndPoint.Parse(us.Address) });
        await using var eu = await StartAsync("eu", ("us", $"{toUs.ListeningOn}"), ("witness", $"{toWitness.ListeningOn}"));
        await us.LinkedAsync("eu", "witness");
        await eu.LinkedAsync("us", "witness");
        var (fromEu, fromUs) = (Owned(eu), Owned(us));
        var first = await Eventually.AnsweredAsync(fromEu.Epoch);
        Assert.Equal(first, await Eventually.AnsweredAsync(fromUs.Epoch));

        // Cut off, the owner serves nobody after its lease, and the other region takes the grain with the witness's word.
        toUs.Cut();
        toWitness.Cut();
        var second = await Eventually.AnsweredAsync(fromUs.Epoch);
        Assert.True(second > first, $"{second} after {first}");
        await Assert.ThrowsAsync<GeoUnavailableException>(fromEu.Epoch);

        toUs.Heal();
        toWitness.Heal();
        Assert.Equal(second, await Eventually.AnsweredAsync(fromEu.Epoch));

        // Lost for ever, it is missed by nobody.
        await us.DisposeAsync();
        var third = await Eventually.AnsweredAsync(fromEu.Epoch);
        Assert.True(third > second, $"{third} after {second}");
        await Eventually.AnsweredAsync(eu.Grains.GetGrain<QuorumModeTests.IOwned>("never called").Epoch);
    }

    private static QuorumModeTests.IOwned Owned(TestSilo silo) => silo.Grains.GetGrain<QuorumModeTests.IOwned>("a");

    private Task<TestSilo> StartAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo =>
        {
            geo.AddQuorumStore(GeoStorage.Quorum, Clusters, _ => _disks[cluster]);
            if (cluster != "witness")
            {
                geo.AddGrain<QuorumModeTests.Owned>();
            }
        },
        others);
}
