using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

public sealed class BatchedCasJournalTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    private ITally Tally(string cluster, string key) => two.Clusters.Grains(cluster).GetGrain<ITally>(key);

    [Fact]
    public async Task Concurrent_confirmed_updates_from_two_clusters_are_each_in_the_version_once()
    {
        const int updates = 1_000;
        var (eu, us) = (Tally("eu", "converge"), Tally("us", "converge"));

        await Task.WhenAll(Enumerable.Range(0, updates).Select(i => (i % 2 == 0 ? eu : us).Confirm(i)));

        var expected = new Reading(updates, Enumerable.Range(0, updates).Sum(), 0);
        Assert.Equal(expected, await eu.Latest());
        Assert.Equal(expected, await us.Latest());
    }

    [Fact]
    public async Task An_update_reaches_the_other_cluster_s_instance_without_being_asked_for()
    {
        var (eu, us) = (Tally("eu", "notify"), Tally("us", "notify"));
        await us.Latest();

        await eu.Confirm(7);

        await Eventually.Is(new Reading(1, 7, 0), us.Glance);
    }

    [Fact]
    public async Task A_notification_does_not_wake_a_sleeping_instance()
    {
        var (eu, us) = (Tally("eu", "asleep"), Tally("us", "awake"));
        await eu.Confirm(1);
        await us.Latest();

        // The second grain's notification travels behind the first one's, so that its arrival shows that the first one was handled.
        await eu.Confirm(1);
        await Tally("eu", "awake").Confirm(1);
        await Eventually.Is(1, async () => (await us.Glance()).Version);

        Assert.False(Grains.Tally.Activations.ContainsKey(("us", "asleep")));
    }

    [Fact]
    public async Task A_conditional_update_is_refused_when_the_other_cluster_was_faster()
    {
        var (eu, us) = (Tally("eu", "conditional"), Tally("us", "conditional"));
        Assert.True(await eu.AddIfLatest(1));
        Assert.Equal(1, (await us.Latest()).Version);

        var races = await Task.WhenAll(eu.AddIfLatest(10), us.AddIfLatest(100));

        var latest = await us.Latest();
        Assert.Equal(1 + races.Count(won => won), latest.Version);
        Assert.Contains(true, races);
    }

    [Fact]
    public async Task The_state_outlives_its_instances()
    {
        var eu = Tally("eu", "durable");
        await eu.Confirm(5);
        await eu.End();

        Assert.Equal(new Reading(1, 5, 0), await Tally("us", "durable").Latest());
        await Eventually.Is(new Reading(1, 5, 0), eu.Latest);
    }

    [Fact]
    public async Task Updates_that_were_not_waited_for_are_confirmed_before_the_instance_ends()
    {
        var eu = Tally("eu", "last-words");
        await eu.Add(3);
        await eu.End();

        await Eventually.Is(3, async () => (await Tally("us", "last-words").Latest()).Sum);
    }

    [Fact]
    public async Task Past_events_cannot_be_read_back()
    {
        var eu = Tally("eu", "history");
        await eu.Confirm(1);

        await Assert.ThrowsAsync<NotSupportedException>(eu.History);
    }

    [Fact]
    public async Task A_provider_selected_by_name_keeps_the_versions_in_the_store()
    {
        var cancel = TestContext.Current.CancellationToken;
        var eu = two.Clusters.Grains("eu").GetGrain<IByName>("by-name");
        await eu.Confirm(5);
        await eu.End();

        Assert.Equal(new Reading(1, 5, 0), await two.Clusters.Grains("us").GetGrain<IByName>("by-name").Latest());
        Assert.True(
            await two.Clusters.Shared.ListAsync("", cancel).AnyAsync(row => row.Key.Contains("by-name", StringComparison.Ordinal), cancel));
    }
}
