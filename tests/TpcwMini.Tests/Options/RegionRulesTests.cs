using Geo;
using TpcwMini.Options;

namespace TpcwMini.Tests.Options;

public sealed class RegionRulesTests
{
    [Theory]
    [InlineData("eu")]
    [InlineData("eu@3")]
    [InlineData("@3:4")]
    [InlineData("eu@3:")]
    [InlineData("eu@-1:4")]
    [InlineData("eu@3-4")]
    [InlineData("eu@1:2,")]
    public void A_cut_needs_a_cluster_and_two_seconds(string text) =>
        Assert.Contains("CLUSTER@FROM:TO", Assert.Throws<UsageException>(() => CutPlan.ParseAll(text)).Message);

    [Theory]
    [InlineData("asia")]
    [InlineData("asia@")]
    [InlineData("asia@soon")]
    [InlineData("asia@1:2")]
    public void A_change_needs_a_cluster_and_a_second(string text) =>
        Assert.Contains("--add '" + text, Assert.Throws<UsageException>(() => ChangePlan.Parse("--add", text)).Message);

    [Fact]
    public void What_is_read_is_written_the_same()
    {
        Assert.Equal([new CutPlan("eu", 2.5, 4), new CutPlan("us", 5, 6)], CutPlan.ParseAll("eu@2.5:4, us@5:6"));
        Assert.Equal("eu@2.5:4", new CutPlan("eu", 2.5, 4).ToString());
        Assert.Equal(new ChangePlan("asia", 2.5), ChangePlan.Parse("--add", "asia@2.5"));
        Assert.Equal("asia@2.5", new ChangePlan("asia", 2.5).ToString());
    }

    [Fact]
    public void A_cut_names_a_cluster_of_the_run_within_its_time_that_has_others()
    {
        Assert.Equal(2, OptionRules.Check(Options() with { Cuts = [new("us", 4, 5), new("eu", 2, 4)] }).Cuts.Count);
        Assert.Contains("names no cluster", Refused(Options() with { Cuts = [new("mars", 1, 2)] }));
        Assert.Contains("nothing to cut", Refused(Options() with { Clusters = ["eu"], Cuts = [new("eu", 1, 2)] }));
        Assert.Contains("must end after", Refused(Options() with { Cuts = [new("eu", 2, 2)] }));
        Assert.Contains("more than 5 s before --seconds 20", Refused(Options() with { Cuts = [new("eu", 2, 15)] }));
        Assert.Equal(14.5, Assert.Single(OptionRules.Check(Options() with { Cuts = [new("eu", 2, 14.5)] }).Cuts).To);
        Assert.Contains("--cut us@3:5 begins before --cut eu@2:4", Refused(Options() with { Cuts = [new("us", 3, 5), new("eu", 2, 4)] }));
        Assert.Contains("cannot go with --kill", Refused(Options() with { Cuts = [new("eu", 2, 4)], Kill = new("us", 1) }));
    }

    [Fact]
    public void A_majority_needs_three()
    {
        Assert.Contains("--mode quorum needs 3", Refused(Options() with { Mode = SingleInstanceMode.Quorum }));
        Assert.Equal(
            SingleInstanceMode.Quorum,
            OptionRules.Check(Options() with { Mode = SingleInstanceMode.Quorum, Clusters = ["us", "eu", "asia"] }).Mode);
    }

    [Fact]
    public void A_region_comes_and_goes_one_at_a_time_and_leaves_one()
    {
        var both = OptionRules.Check(Options() with { Add = new("asia", 1), Drain = new("eu", 2) });
        Assert.Equal(["us", "eu", "asia"], both.AllClusters);
        Assert.Equal("us", both.OtherThan("eu"));
        Assert.Contains("names a cluster of --clusters", Refused(Options() with { Add = new("eu", 1) }));
        Assert.Contains("that cannot be", Refused(Options() with { Add = new("a/b", 1) }));
        Assert.Contains("after the end", Refused(Options() with { Add = new("asia", 20) }));
        Assert.Contains("after the end", Refused(Options() with { Drain = new("eu", 20) }));
        Assert.Contains("names no cluster", Refused(Options() with { Drain = new("asia", 1) }));
        Assert.Contains("no cluster to serve on", Refused(Options() with { Clusters = ["eu"], Drain = new("eu", 1) }));
        Assert.Contains("one region comes or goes", Refused(Options() with { Add = new("asia", 2), Drain = new("asia", 2) }));
        Assert.Contains("--kill or --cut", Refused(Options() with { Drain = new("eu", 2), Kill = new("us", 1) }));
        Assert.Contains("--kill or --cut", Refused(Options() with { Drain = new("eu", 2), Cuts = [new("us", 1, 2)] }));
        Assert.Contains("--state persistent", Refused(Options() with
        {
            Drain = new("eu", 2),
            Variant = new Variant(ItemApi.Versioned, ItemDurability.Volatile, ItemInstancing.Single, ReadPolicy.Lin),
        }));
    }

    private static RunOptions Options() => new() { Clusters = ["us", "eu"], Variant = Variant.Sensible[0], Robots = 10, Seconds = 20 };

    private static string Refused(RunOptions options) => Assert.Throws<UsageException>(() => OptionRules.Check(options)).Message;
}
