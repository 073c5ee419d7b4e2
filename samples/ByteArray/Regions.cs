using System.Net;
using Geo.Testing.Storage;
using Geo.Testing.Wan;

namespace ByteArraySample;

/// <summary>
/// Two regions of one process as in the paper's Figure 7: a delayed link between them, and a store that is near one of them.
/// </summary>
public sealed class Regions : IAsyncDisposable
{
    private readonly RegionHost _near;
    private readonly RegionHost _far;
    private readonly DelayedLink _link;

    private Regions(RegionHost near, RegionHost far, DelayedLink link) => (_near, _far, _link) = (near, far, link);

    public IGrainFactory California => _near.Grains;

    public IGrainFactory Netherlands => _far.Grains;

    /// <param name="roundTrip">Between the regions, and from the far one to the store.</param>
    /// <param name="storage">From the near region to the store.</param>
    public static async Task<Regions> StartAsync(TimeSpan roundTrip, TimeSpan storage)
    {
        var store = new InMemoryConditionalStore();
        var near = await RegionHost.StartAsync(
            Arrays.Near, Arrays.Far, null, new LatencyConditionalStore(store, storage, TimeProvider.System));
        var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(near.Address), OneWayDelay = roundTrip / 2 });
        var far = await RegionHost.StartAsync(
            Arrays.Far, Arrays.Near, link.ListeningOn.ToString(), new LatencyConditionalStore(store, roundTrip, TimeProvider.System));
        while (!near.IsLinkedTo(Arrays.Far) || !far.IsLinkedTo(Arrays.Near))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }

        return new Regions(near, far, link);
    }

    public async ValueTask DisposeAsync()
    {
        await _far.DisposeAsync();
        await _near.DisposeAsync();
        await _link.DisposeAsync();
    }
}
