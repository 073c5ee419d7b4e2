using Orleans.EventSourcing;
using Orleans.Providers;

namespace Geo.Orleans.Tests.Grains;

[LogConsistencyProvider(ProviderName = "BatchedCas")]
public sealed class ByName : JournaledGrain<TallyState, Added>, IByName
{
    public async Task Confirm(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
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
