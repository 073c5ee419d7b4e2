using Geo.Consistency;

namespace Geo.Embedded.Tests;

public interface ISummed : IGrainWithStringKey
{
    Task<UpdateOutcome> Add(int amount, ViewUpdate how);

    [ReadOnly]
    Task<Versioned<int>> Sum(ViewRead read);

    [ReadOnly]
    Task<Versioned<int>> WaitFor(int sum);
}

public abstract class SummedGrain : JournaledGrain<StockState, StockEvent>, ISummed
{
    public Task<UpdateOutcome> Add(int amount, ViewUpdate how) => RaiseEvent(new Added(amount), how);

    public Task<Versioned<int>> Sum(ViewRead read) => ReadVersion(state => state.Count, read);

    public async Task<Versioned<int>> WaitFor(int sum)
    {
        await foreach (var version in FollowVersions(state => state.Count))
        {
            if (version.Value >= sum)
            {
                return version;
            }
        }

        throw new InvalidOperationException("The versions have no end.");
    }
}

public sealed class LocalSummedGrain : SummedGrain;

[GlobalSingleInstance]
[BatchedCas]
public sealed class SingleSummedGrain : SummedGrain;

[OneInstancePerCluster]
[BatchedCas]
public sealed class SharedSummedGrain : SummedGrain;

[OneInstancePerCluster]
[VersionedLeader]
public sealed class VolatileSummedGrain : SummedGrain;

public sealed class SessionTests
{
    [Theory]
    [InlineData(typeof(SharedSummedGrain))]
    [InlineData(typeof(VolatileSummedGrain))]
    [InlineData(typeof(SingleSummedGrain))]
    public async Task A_session_that_changes_clusters_with_each_call_sees_what_it_has_written(Type grainClass)
    {
        var store = new InMemoryConditionalStore();
        await using var clusters = await TwoClusters.StartAsync(
            geo =>
            {
                geo.AddStore(GeoStorage.Default, _ => store);
                _ = grainClass == typeof(SharedSummedGrain) ? geo.AddGrain<SharedSummedGrain>()
                    : grainClass == typeof(VolatileSummedGrain) ? geo.AddGrain<VolatileSummedGrain>()
                    : geo.AddGrain<SingleSummedGrain>();
            });
        var grains = new[] { clusters.Us.Grains.GetGrain<ISummed>("a"), clusters.Eu.Grains.GetGrain<ISummed>("a") };
        var session = new GeoSession();
        var queued = grainClass == typeof(VolatileSummedGrain) ? ViewUpdate.Queued : ViewUpdate.Confirmed;
        for (var i = 1; i <= 20; i++)
        {
            var sent = SessionContext.Token = session.Token;
            session.Take(sent, (await grains[i % 2].Add(1, i % 3 == 0 ? queued : ViewUpdate.Confirmed)).Session);
            sent = SessionContext.Token = session.Token;
            var read = await grains[(i + 1) % 2].Sum(ViewRead.Confirmed);
            session.Take(sent, read.Session);
            Assert.Equal((i, i), (read.Value, read.Version));
            Assert.True(session.Token.ToString().Length <= 86);
        }
    }

    [Fact]
    public async Task A_result_says_version_age_and_cluster_and_versions_can_be_followed()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalSummedGrain>());
        var grain = silo.Grains.GetGrain<ISummed>("a");
        var outcome = await grain.Add(2, ViewUpdate.Conditional);
        Assert.Equal((false, true, 1, "us"), (outcome.IsRefused, outcome.IsConfirmed, outcome.Version, outcome.Cluster.Name));
        var read = await grain.Sum(ViewRead.NoOlderThan(TimeSpan.Zero));
        Assert.Equal((2, 1, TimeSpan.Zero, new ClusterId("us")), (read.Value, read.Version, read.Age, read.Cluster));
        Assert.Equal(outcome.Session, read.Session);
        Assert.Equal(2, (await grain.WaitFor(2)).Value);
        SessionContext.Token = SessionToken.Parse(outcome.Session.ToString());
        await using var other = await TestSilo.StartAsync("eu", geo => geo.AddGrain<LocalSummedGrain>());
        await Assert.ThrowsAsync<SessionLostException>(() => other.Grains.GetGrain<ISummed>("a").Sum(ViewRead.Confirmed));
        SessionContext.Token = SessionToken.None;
        Assert.Equal(0, (await other.Grains.GetGrain<ISummed>("a").Sum(ViewRead.Confirmed)).Value);
    }
}
