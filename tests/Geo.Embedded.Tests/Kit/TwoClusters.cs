using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

/// <summary>Two clusters in this process, linked over loopback TCP.</summary>
internal sealed class TwoClusters : IAsyncDisposable
{
    private TwoClusters(TestSilo us, TestSilo eu) => (Us, Eu) = (us, eu);

    public TestSilo Us { get; }

    public TestSilo Eu { get; }

    public static async Task<TwoClusters> StartAsync(Action<GeoEmbeddedBuilder> configure, Action<IServiceCollection>? services = null)
    {
        var us = await TestSilo.StartAsync("us", configure, [("eu", null)], services);
        try
        {
            var eu = await TestSilo.StartAsync("eu", configure, [("us", us.Address)], services);
            var clusters = new TwoClusters(us, eu);
            await Eventually.HoldsAsync(
                () => Linked(us, "eu") && Linked(eu, "us"), "the two clusters are linked");
            return clusters;
        }
        catch
        {
            await us.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Eu.DisposeAsync();
        await Us.DisposeAsync();
    }

    private static bool Linked(TestSilo silo, string to) => silo.Silo.IsLinkedTo(new ClusterId(to));
}
