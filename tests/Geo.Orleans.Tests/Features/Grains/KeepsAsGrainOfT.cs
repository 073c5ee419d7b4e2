using Microsoft.Extensions.Options;
using Orleans.Providers;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, StorageProvider(ProviderName = FeatureClusters.SharedStorage)]
public sealed class KeepsAsGrainOfT(IOptions<GeoOrleansOptions> options) : Grain<KeptState>, IKept
{
    public async Task<Kept> Add(int amount)
    {
        State.Sum += amount;
        await WriteStateAsync();
        return Here;
    }

    public async Task<Kept> Read()
    {
        await ReadStateAsync();
        return Here;
    }

    public Task Clear() => ClearStateAsync();

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    private Kept Here => new(options.Value.ClusterId, State.Sum);
}
