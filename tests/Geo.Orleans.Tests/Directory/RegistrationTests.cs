using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.GrainDirectory;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

public sealed class RegistrationTests
{
    /// <summary>Orleans replaces an address that was given to it when the address's silo has died by the time it looks.</summary>
    [Fact]
    public async Task An_activation_that_replaces_an_address_does_not_take_the_row_of_a_silo_that_may_still_serve()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2 });
        var services = clusters.SilosOf("eu").Select(silo => silo.Services).ToArray();
        var silos = services.Select(silo => silo.GetRequiredService<ILocalSiloDetails>().SiloAddress).ToArray();
        var grain = clusters.Grains("eu").GetGrain<ISpot>("leased");
        RequestContext.Set(IPlacementDirector.PlacementHintKey, silos[0]);
        var before = await grain.Where();
        RequestContext.Clear();
        var directory = services[1].GetRequiredKeyedService<IGrainDirectory>(GeoGrainDirectory.Name);
        var wanted = new GrainAddress { GrainId = grain.GetGrainId(), SiloAddress = silos[1], ActivationId = ActivationId.NewId() };
        var cancel = TestContext.Current.CancellationToken;

        var given = await directory.Register(wanted, previousAddress: null, cancel);
        Assert.Equal(silos[0], given?.SiloAddress);
        var replaced = await directory.Register(wanted, given, cancel);

        Assert.Equal(silos[0], replaced?.SiloAddress);
        Assert.Equal(before, await grain.Where());
    }
}
