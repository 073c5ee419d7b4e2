using Geo.Consistency;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance(SingleInstanceMode.Pessimistic), BatchedCas, ReadReplica(MaxStaleness = "00:00:02")]
public sealed class Priced : JournaledGrain<TallyState, Added>, IPriced
{
    public async Task<int> Raise(int by)
    {
        RaiseEvent(new Added(by));
        await ConfirmEvents();
        return Version;
    }

    public Task<Versioned<int>> Price() => this.ReadVersion(state => state.Sum, ViewRead.Confirmed);

    public Task<string> Name() => Task.FromResult(this.GetPrimaryKeyString());

    public async Task<int> LatestPrice()
    {
        await RefreshNow();
        return State.Sum;
    }

    public async Task<int> LatestOrKnownPrice()
    {
        try
        {
            await RefreshNow();
        }
        catch (GeoException)
        {
            // The store is away: what is known has to do.
        }

        return State.Sum;
    }
}
