using Microsoft.Extensions.Options;
using Orleans.BroadcastChannel;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, ImplicitChannelSubscription(FeatureClusters.Subscribed)]
public sealed class ListensAnywhere(IOptions<GeoOrleansOptions> options) : Grain, IListensAnywhere, IOnBroadcastChannelSubscribed
{
    private readonly List<string> _heard = [];

    public Task<string[]> Heard() => Task.FromResult(_heard.ToArray());

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task Tell(int item)
    {
        _heard.Add($"{options.Value.ClusterId} {item}");
        return Task.CompletedTask;
    }

    public Task OnSubscribed(IBroadcastChannelSubscription streamSubscription) =>
        streamSubscription.Attach<int>(Tell, _ => Task.CompletedTask);
}
