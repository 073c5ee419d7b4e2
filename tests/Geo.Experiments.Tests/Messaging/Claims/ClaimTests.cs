using Geo.Experiments.Messaging;
using Geo.Experiments.Messaging.Claims;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Tests.Messaging.Claims;

public sealed class ClaimTests
{
    private const string Large = "echo/512KB/20ms/x128";
    private static readonly Variant Geo = Variant.Geo(Runs.Lanes);
    private static readonly Variant Plain = Variant.Plain(Runs.Lanes);

    [Fact]
    public void A_ratio_is_made_within_a_repeat_before_the_median_is_taken()
    {
        // The machine was five times as fast in the second repeat; the ratio of medians would be 0.7.
        var outcome = Judge(Large, [.. Pair(1, 90, 100), .. Pair(2, 350, 500), .. Pair(3, 70, 80)]);

        Assert.Equal([0.9, 0.7, 0.875], outcome.Ratios);
        Assert.Equal(0.875, outcome.Spread.Median);
    }

    [Fact]
    public void A_repeat_in_which_one_of_the_two_did_not_run_does_not_count()
    {
        var outcome = Judge(Large, [.. Pair(1, 90, 100), Runs.Of(Large, Geo, 2, 900)]);

        Assert.Equal([0.9], outcome.Ratios);
    }

    [Fact]
    public void Runs_at_another_cell_do_not_count()
    {
        var outcome = Judge(Large, [Runs.Of("echo/8MB/20ms/x16", Geo, 1, 90), Runs.Of("echo/8MB/20ms/x16", Plain, 1, 100)]);

        Assert.Equal("not measured", outcome.ToString());
    }

    [Fact]
    public void Five_repeats_within_the_limit_meet_it() =>
        Assert.Equal("met", Judge(Large, [.. Enumerable.Range(1, 5).SelectMany(repeat => Pair(repeat, 80, 100))]).ToString());

    [Fact]
    public void Five_repeats_outside_the_limit_do_not_meet_it() =>
        Assert.Equal("not met", Judge(Large, [.. Enumerable.Range(1, 5).SelectMany(repeat => Pair(repeat, 79.9, 100))]).ToString());

    [Fact]
    public void Fewer_repeats_show_nothing_whatever_the_figure() =>
        Assert.Equal("within, not shown: 2 of 5 repeats", Judge(Large, [.. Pair(1, 90, 100), .. Pair(2, 90, 100)]).ToString());

    [Fact]
    public void A_short_warm_up_shows_nothing() => Assert.Equal(
        "within, not shown: warm-up under 4 s",
        Judge(Large, [.. Enumerable.Range(1, 5).SelectMany(repeat => Pair(repeat, 90, 100)).Select(run => run with { WarmUpSeconds = 2 })])
            .ToString());

    [Fact]
    public void Few_operations_show_nothing() => Assert.Equal(
        "outside, not shown: under 20 operations",
        Judge(Large, [.. Enumerable.Range(1, 5).SelectMany(repeat => Pair(repeat, 4, 100))]).ToString());

    [Fact]
    public void Delay_lines_show_nothing() => Assert.Equal(
        "within, not shown: delay lines",
        Judge(
            Large,
            [
                .. Enumerable.Range(1, 5).SelectMany(repeat => Pair(repeat, 90, 100))
                    .Select(run => run with { Network = NetworkKind.DelayLines }),
            ]).ToString());

    private static RunRecord[] Pair(int repeat, double geo, double plain) =>
        [Runs.Of(Large, Geo, repeat, geo), Runs.Of(Large, Plain, repeat, plain)];

    private static ClaimOutcome Judge(string cell, RunRecord[] runs) =>
        MustShow.Claims(Runs.Lanes).Single(claim => claim.Cell.ToString() == cell).Judge(runs);
}
