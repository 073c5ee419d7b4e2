using System.Net;
using Geo.Directory;
using Geo.Testing.Wan;

namespace Geo.Embedded.Tests;

/// <summary>What an operator asks of a silo about grains in doubt.</summary>
public sealed class AdministrationTests
{
    [Fact]
    public async Task A_grain_in_doubt_is_inspected_and_resolved()
    {
        var ended = TestContext.Current.CancellationToken;
        static void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<SingleCounterGrain>();
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(us.Address) });
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", link.ListeningOn.ToString())]);
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        link.Cut(CutMode.Drop);
        await Eventually.HoldsAsync(() => !us.Silo.IsLinkedTo(new ClusterId("eu")), "the link is cut");
        Assert.Equal(1, await us.Grains.GetGrain<ICounter>("doubtful").Add(1));
        var administration = us.Silo.Administration;
        var key = Assert.Single((await administration.ListAsync(new(), ended)).Rows).Key;

        Assert.Equal(GsiState.Doubtful, (await administration.InspectAsync(key, ended))!.State);
        Assert.False(await administration.ResolveAsync(key, ended));
        link.Heal();
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked again");

        // The silo itself tries as soon as the link is up, perhaps at this very moment.
        await Eventually.HoldsAsync(async () => await administration.ResolveAsync(key, ended), "the grain is resolved", seconds: 60);
        Assert.Equal((GsiState.Owned, NodeState.Living), await StateAsync());
        Assert.Equal(2, await eu.Grains.GetGrain<ICounter>("doubtful").Add(1));

        async Task<(GsiState, NodeState)> StateAsync() =>
            await administration.InspectAsync(key, ended) is { } row ? (row.State, row.Node) : default;
    }
}
