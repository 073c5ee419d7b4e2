using Geo.Consistency;
using Orleans.Concurrency;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, VersionedLeader]
[Reentrant]
public sealed class Summed : JournaledGrain<TallyState, Added>, ISummed
{
    public Task<UpdateOutcome> Add(int amount, bool isConfirmed) =>
        this.RaiseEvent(new Added(amount), isConfirmed ? ViewUpdate.Confirmed : ViewUpdate.Queued);

    public Task<Versioned<int>> Sum() => this.ReadVersion(state => state.Sum, ViewRead.Confirmed);

    public async Task<Versioned<int>> WaitFor(int sum)
    {
        await foreach (var version in this.FollowVersions(state => state.Sum))
        {
            if (version.Value >= sum)
            {
                return version;
            }
        }

        throw new InvalidOperationException("The versions have no end.");
    }
}
