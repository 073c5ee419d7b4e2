using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Journaling;

/// <summary>Orleans gives up an activation whose call lasts longer than MaxRequestProcessingTime; the call's code runs on.</summary>
public sealed class StuckActivationTests
{
    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    [InlineData(typeof(LedDesk))]
    public async Task The_next_activation_takes_its_place_and_the_given_up_one_confirms_nothing(Type grainClass)
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["eu"],
            Silo = silo => silo.Configure<SiloMessagingOptions>(o => o.MaxRequestProcessingTime = TimeSpan.FromSeconds(1)),
        });
        var key = $"stuck-{grainClass.Name}";
        var desk = clusters.Grains("eu").GetGrain<IDesk>(key, grainClass.FullName);
        await desk.Confirm(1);
        var stuck = desk.ConfirmOnceReleased(100);
        await Eventually.Is(true, () => Task.FromResult(AnyDesk.Releases.ContainsKey(key)));

        // Calls that wait for it show Orleans that it is stuck.
        await Eventually.Succeeds(async () =>
        {
            try
            {
                await desk.ConfirmBriefly(0);
                return true;
            }
            catch (Exception e) when (e is TimeoutException || (e is OperationCanceledException && grainClass != typeof(SingleDesk)))
            {
                // Orleans' own word for a call that waited too long; a single-instance grain's caller is told Geo's.
                throw new GeoUnavailableException(e.Message);
            }
        });
        await desk.Confirm(10);

        AnyDesk.Releases[key].SetResult();
        await Assert.ThrowsAnyAsync<Exception>(() => stuck.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
        await desk.Confirm(1000);
        Assert.Equal(1011, await desk.Latest());
    }
}
