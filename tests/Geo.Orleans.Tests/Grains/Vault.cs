using Microsoft.Extensions.Options;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance, BatchedCas]
public sealed class Vault(IOptions<GeoOrleansOptions> options) : JournaledGrain<TallyState, Added>, IVault
{
    public async Task<string> Confirm(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
        return options.Value.ClusterId;
    }

    public async Task<Reading> Latest()
    {
        await RefreshNow();
        return new Reading(Version, State.Sum, UnconfirmedEvents.Count());
    }

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}
