using System.Text.Json;
using Geo.Experiments.Messaging;
using Geo.Experiments.Messaging.Report;

namespace Geo.Experiments.Tests.Messaging.Report;

public sealed class PageTests
{
    private const string Large = "echo/512KB/20ms/x128";

    private static readonly RawHeader Header =
        new(DateTimeOffset.UnixEpoch, "1.0", 2, "a system", "a runtime", 4_194_304, Runs.Lanes, 5, 2, 4, 3);

    [Fact]
    public void The_line_above_the_figures_says_what_they_rest_on()
    {
        var page = Page.Of([File("first", 90)]);

        Assert.All(
            ["2 processors", "network namespaces", "warm-up 4 s", "5 interleaved repeats", "N = 16", "1970-01-01 00:00 UTC"],
            part => Assert.Contains(part, page, StringComparison.Ordinal));
    }

    [Fact]
    public void A_claim_stands_with_its_limit_its_ratio_and_its_verdict() => Assert.Contains(
        "| `echo/512KB/20ms/x128` | 'geo, 16 lanes, affinity' of 'plain, 16 connections' | at least 0.80 | 0.900 | 0.900 to 0.900 | 1 | "
        + "360 | within, not shown: 1 of 5 repeats |",
        Page.Of([File("first", 90)]),
        StringComparison.Ordinal);

    [Fact]
    public void Of_a_cell_in_two_files_the_last_counts_whole()
    {
        var page = Page.Of([File("first", 90), File("second", 70)]);

        Assert.Contains("| 0.700 |", page, StringComparison.Ordinal);
        Assert.DoesNotContain("first", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Files_with_another_number_of_lanes_are_refused() =>
        Assert.Throws<GeoConfigurationException>(
            () => Page.Of([File("first", 90), File("second", 70) with { Header = Header with { Lanes = 4 } }]));

    [Fact]
    public void A_run_is_read_back_as_it_was_written()
    {
        var run = Runs.Of(Large, Variant.Geo(Runs.Lanes), 1, 90);

        var read = JsonSerializer.Deserialize<RunRecord>(JsonSerializer.Serialize(run))!;

        Assert.Equal(run, read with { Peers = run.Peers });
        Assert.Equal(run.Peers, read.Peers);
    }

    [Fact]
    public void Runs_of_another_build_are_no_pair() => Assert.False(Header.Matches(Header with { Version = "1.1" }));

    [Fact]
    public void More_repeats_of_the_same_are() =>
        Assert.True(Header.Matches(Header with { Repeats = 1, StartedAt = DateTimeOffset.UnixEpoch.AddHours(1) }));

    private static RawFile File(string name, double geo) =>
        new(name, Header, [Runs.Of(Large, Variant.Geo(Runs.Lanes), 1, geo), Runs.Of(Large, Variant.Plain(Runs.Lanes), 1, 100)]);
}
