using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, Borrowed]
public sealed class Borrowed : JournaledGrain<TallyState, Added>, IBorrowed
{
    public async Task Add(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
    }

    public async Task<int> Sum()
    {
        await RefreshNow();
        return State.Sum;
    }
}
