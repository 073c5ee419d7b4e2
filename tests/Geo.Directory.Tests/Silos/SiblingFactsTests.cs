using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

public sealed class SiblingFactsTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private readonly SimulationScheduler _scheduler = new();
    private readonly SiblingNet _net;

    public SiblingFactsTests() => _net = new(_scheduler.Time);

    [Fact]
    public void A_silo_with_other_facts_than_its_sibling_does_not_start() => _scheduler.Run(async () =>
    {
        await CompareAsync(Join("eu/1"), 1);
        await CompareAsync(Join("eu/2"), 1);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => CompareAsync(Join("eu/3"), 3));

        Assert.Equal("eu/1 has 1", refused.Message);
    });

    [Fact]
    public void Of_silos_that_start_together_one_at_least_hears_from_the_other() => _scheduler.Run(async () =>
    {
        var (first, second) = (Join("eu/1"), Join("eu/2"));

        // The first has not been told its own facts when it is asked for them.
        var asks = CompareAsync(second, 2);
        await Task.Delay(Patience / 2, _scheduler.Time);
        var asked = CompareAsync(first, 1);

        await Assert.ThrowsAsync<GeoConfigurationException>(() => asks);
        await Assert.ThrowsAsync<GeoConfigurationException>(() => asked);
    });

    [Fact]
    public void A_sibling_that_does_not_answer_holds_no_start_up() => _scheduler.Run(async () =>
    {
        Join("eu/1");
        _net.Crash("eu/1");
        var began = _scheduler.Time.GetTimestamp();

        await CompareAsync(Join("eu/2"), 2);

        Assert.Equal(Patience, _scheduler.Time.GetElapsedTime(began));
    });

    private SiblingFacts Join(string node)
    {
        var siblings = _net.Join(node);
        return new SiblingFacts(siblings, siblings, Patience);
    }

    private static Task CompareAsync(SiblingFacts facts, byte own) => facts.CompareAsync(
        new[] { own }, (node, theirs) => theirs.Span[0] == own ? null : $"{node} has {theirs.Span[0]}", CancellationToken.None);
}
