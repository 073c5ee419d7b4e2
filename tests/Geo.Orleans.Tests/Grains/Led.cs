using Orleans.Concurrency;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, VersionedLeader]
[Reentrant]
public sealed class Led : JournaledGrain<TallyState, Added>, ILed
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
}
