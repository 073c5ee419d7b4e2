using Geo.Consistency;
using Orleans.Concurrency;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, BatchedCas]
[Reentrant]
public sealed class SummedInStore : JournaledGrain<TallyState, Added>, ISummedInStore
{
    public Task<UpdateOutcome> Add(int amount, bool isConfirmed) =>
        this.RaiseEvent(new Added(amount), isConfirmed ? ViewUpdate.Confirmed : ViewUpdate.Queued);

    public Task<Versioned<int>> Sum() => this.ReadVersion(state => state.Sum, ViewRead.Confirmed);
}
