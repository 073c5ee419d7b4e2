using System.Collections.Concurrent;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Activations;

public sealed class WatchedContextsTests
{
    [Fact]
    public async Task Requests_of_a_single_instance_grain_run_under_the_watch_of_the_lease_and_those_of_an_ordinary_grain_do_not()
    {
        var requests = new Requests();
        await using var clusters = await GeoTestCluster.StartAsync(
            new() { Services = services => services.AddSingleton<IIncomingGrainCallFilter>(requests) });
        var single = clusters.Grains("eu").GetGrain<ISpot>("watched");
        var ordinary = clusters.Grains("eu").GetGrain<ICaller>("unwatched");

        await single.Where();
        await ordinary.Measure("watched", 1);

        var watched = Assert.IsType<WatchedRequest>(requests.Last[single.GetGrainId()]);
        Assert.NotNull(watched.Activation.Guard);
        Assert.IsNotType<WatchedRequest>(requests.Last[ordinary.GetGrainId()]);

        // What other parts put on an activation is on the one that is watched.
        var tracked = clusters.SilosOf("eu")[0].Services.GetRequiredService<TrackedActivations>();
        Assert.NotNull(tracked.TenancyOf(single.GetGrainId(), watched.Activation.ActivationId));
    }

    [Fact]
    public async Task Requests_of_a_journaled_grain_with_read_only_methods_are_known_to_its_journal()
    {
        var requests = new Requests();
        await using var clusters = await GeoTestCluster.StartAsync(
            new() { Services = services => services.AddSingleton<IIncomingGrainCallFilter>(requests) });
        var desk = clusters.Grains("eu").GetGrain<IDesk>("watched", typeof(Desk).FullName);

        await desk.Add(1);

        Assert.NotNull(Assert.IsType<WatchedRequest>(requests.Last[desk.GetGrainId()]).Waits);
    }

    /// <summary>The last request of each grain, as its activation was given it.</summary>
    private sealed class Requests : IIncomingGrainCallFilter
    {
        public ConcurrentDictionary<GrainId, object> Last { get; } = new();

        public Task Invoke(IIncomingGrainCallContext context)
        {
            Last[context.TargetId] = context.Request;
            return context.Invoke();
        }
    }
}
