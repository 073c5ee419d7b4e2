using System.Collections.Concurrent;
using Microsoft.Extensions.Options;
using Orleans.Concurrency;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, BatchedCas]
[Reentrant]
public sealed class Tally(IOptions<GeoOrleansOptions> options) : JournaledGrain<TallyState, Added>, ITally
{
    /// <summary>How often each key was activated in each cluster.</summary>
    public static readonly ConcurrentDictionary<(string Cluster, string Key), int> Activations = new();

    public override void Participate(IGrainLifecycle lifecycle)
    {
        base.Participate(lifecycle);
        Activations.AddOrUpdate((options.Value.ClusterId, this.GetPrimaryKeyString()), 1, (_, count) => count + 1);
    }

    public Task<int> Add(int amount)
    {
        RaiseEvent(new Added(amount));
        return Task.FromResult(TentativeState.Sum);
    }

    public async Task Confirm(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
    }

    public Task<bool> AddIfLatest(int amount) => RaiseConditionalEvent(new Added(amount));

    public Task<Reading> Glance() => Task.FromResult(new Reading(Version, State.Sum, UnconfirmedEvents.Count()));

    public async Task<Reading> Latest()
    {
        await RefreshNow();
        return await Glance();
    }

    public Task History() => RetrieveConfirmedEvents(0, Version);

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}
