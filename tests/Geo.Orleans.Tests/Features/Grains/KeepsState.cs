using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain with an <see cref="IPersistentState{TState}"/>, in the storage that a subclass names.</summary>
public abstract class KeepsState(IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options) : Grain, IKept
{
    public async Task<Kept> Add(int amount)
    {
        state.State.Sum += amount;
        await state.WriteStateAsync();
        return Here;
    }

    public async Task<Kept> Read()
    {
        await state.ReadStateAsync();
        return Here;
    }

    public Task Clear() => state.ClearStateAsync();

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    private Kept Here => new(options.Value.ClusterId, state.State.Sum);
}
