using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Orleans.Tests.Journaling;

namespace Geo.Orleans.Tests.Lattices;

/// <summary>Two clusters of two silos, each of which has a replica.</summary>
public sealed class LatticeGrainTests(SeveralSilosTests.FourSilos four) : IClassFixture<SeveralSilosTests.FourSilos>
{
    private const int Keys = 8;

    [Fact]
    public async Task Updates_of_every_silo_come_to_every_silo()
    {
        for (var key = 0; key < Keys; key++)
        {
            var (eu, us) = (Cart("eu", key, $"both-{key}"), Cart("us", key, $"both-{key}"));
            await Task.WhenAll(eu.Add("milk", 1), us.Add("milk", 2), us.Add("eggs", 6));
            await Eventually.Is("6 eggs, 3 milk", eu.Show);
            await Eventually.Is("6 eggs, 3 milk", us.Show);
            await eu.Remove("milk");
            await eu.KnownIn(2);
            await Eventually.Is("6 eggs", us.Show);
        }
    }

    [Fact]
    public async Task The_state_outlives_activations()
    {
        for (var key = 0; key < Keys; key++)
        {
            var cart = Cart("eu", key, $"again-{key}");
            await cart.Add("milk", 1);
            await cart.KnownIn(2);
            await cart.End();
            await Eventually.Is("1 milk", Cart("eu", key + 1, $"again-{key}").Show);
        }
    }

    private ICart Cart(string cluster, int silo, string key) => four.Clusters.Grains(cluster, silo % 2).GetGrain<ICart>(key);
}
