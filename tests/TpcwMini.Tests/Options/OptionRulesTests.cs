using TpcwMini.Options;

namespace TpcwMini.Tests.Options;

public sealed class OptionRulesTests
{
    [Fact]
    public void Ten_variants_make_sense_and_basic_persistent_single_comes_first()
    {
        Assert.Equal(10, Variant.Sensible.Count);
        Assert.Equal("basic persistent single", Variant.Sensible[0].ToString());
    }

    [Fact]
    public void Several_instances_need_the_versioned_api()
    {
        var error = Assert.Throws<UsageException>(() => OptionRules.Check(Options() with
        {
            Variant = new Variant(ItemApi.Basic, ItemDurability.Persistent, ItemInstancing.Multi, ReadPolicy.Lin),
        }));
        Assert.Contains("--api basic cannot have --instancing multi", error.Message);
    }

    [Fact]
    public void Mixed_reads_need_the_versioned_api()
    {
        var error = Assert.Throws<UsageException>(() => OptionRules.Check(Options() with
        {
            Variant = new Variant(ItemApi.Basic, ItemDurability.Volatile, ItemInstancing.Single, ReadPolicy.Mixed),
        }));
        Assert.Contains("--api basic cannot have --reads mixed", error.Message);
    }

    [Theory]
    [InlineData("basics")]
    [InlineData("")]
    [InlineData("1")]
    [InlineData("Basic")]
    public void An_unknown_choice_is_answered_with_the_known_ones(string word)
    {
        var error = Assert.Throws<UsageException>(() => OptionRules.Choice<ItemApi>("--api", word));
        Assert.Equal($"--api '{word}' is not known. Use basic or versioned.", error.Message);
    }

    [Theory]
    [InlineData("us,us", "'us' twice")]
    [InlineData("us,", "''")]
    [InlineData("a/b", "'a/b'")]
    [InlineData("a,b,c,d,e,f,g,h,i", "at most 8")]
    public void Cluster_names_that_cannot_be_are_refused(string text, string says)
    {
        var error = Assert.Throws<UsageException>(() => OptionRules.ClusterNames(text));
        Assert.Contains(says, error.Message);
        Assert.Contains("--clusters", error.Message);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("1.5")]
    [InlineData("many")]
    [InlineData("99999999999")]
    public void A_count_out_of_range_is_refused_with_the_range(string text)
    {
        var error = Assert.Throws<UsageException>(() => OptionRules.Whole("--robots", text, 1, 100));
        Assert.Contains($"--robots '{text}'", error.Message);
        Assert.Contains("from 1 to 100", error.Message);
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("NaN")]
    [InlineData("1e9")]
    public void A_latency_out_of_range_is_refused(string text) =>
        Assert.Contains("--rtt", Assert.Throws<UsageException>(() => OptionRules.Milliseconds("--rtt", text)).Message);

    [Theory]
    [InlineData("eu")]
    [InlineData("@3")]
    [InlineData("eu@")]
    [InlineData("eu@-1")]
    [InlineData("eu@soon")]
    public void A_kill_needs_a_cluster_and_a_second(string text) =>
        Assert.Contains("CLUSTER@SECOND", Assert.Throws<UsageException>(() => KillPlan.Parse(text)).Message);

    [Fact]
    public void A_kill_must_name_a_cluster_of_the_run_within_its_time_and_leave_one()
    {
        Assert.Equal(new KillPlan("eu", 2.5), KillPlan.Parse("eu@2.5"));
        Assert.Equal(new KillPlan("eu", 2.5, Silo: 1), KillPlan.Parse("eu/1@2.5"));
        Assert.Equal("eu/1@2.5", new KillPlan("eu", 2.5, Silo: 1).ToString());
        Assert.Equal(new KillPlan("eu-west", 2.5, Back: 4), KillPlan.Parse("eu-west@2.5-4"));
        Assert.Equal("eu-west@2.5-4", new KillPlan("eu-west", 2.5, Back: 4).ToString());
        Assert.Contains("bring the cluster back after", Refused(Options() with { Kill = new KillPlan("eu", 2, Back: 2) }));
        Assert.Contains("before --seconds", Refused(Options() with { Kill = new KillPlan("eu", 2, Back: 20) }));
        Assert.Contains("only an embedded", Refused(Options() with { Host = HostKind.Orleans, Kill = new KillPlan("eu", 2, Back: 4) }));
        Assert.Contains("--silos 2", Refused(Options() with { Kill = new KillPlan("eu", 1, Silo: 1) }));
        Assert.Contains(
            "silo 0 keeps", Refused(Options() with { Host = HostKind.Orleans, Silos = 2, Kill = new KillPlan("eu", 1, Silo: 0) }));
        Assert.Contains("names no cluster", Refused(Options() with { Kill = new KillPlan("mars", 1) }));
        Assert.Contains("after the end", Refused(Options() with { Kill = new KillPlan("eu", 20) }));
        Assert.Contains("leaders of its items", Refused(Options() with
        {
            Kill = new KillPlan("eu", 1),
            Variant = new Variant(ItemApi.Versioned, ItemDurability.Volatile, ItemInstancing.Multi, ReadPolicy.Lin),
        }));
        Assert.Contains("no cluster to serve on", Refused(Options() with { Clusters = ["eu"], Kill = new KillPlan("eu", 1) }));
    }

    [Fact]
    public void A_path_belongs_to_sqlite() =>
        Assert.Contains("--store sqlite", Refused(Options() with { StorePath = "a.db" }));

    [Fact]
    public void Automatic_stock_is_slightly_below_what_the_robots_ask_for()
    {
        var options = Options() with { Robots = 4000, Seconds = 20, Warmup = 4, Items = 1000 };

        Assert.Equal(23, options.StockOfEachItem());
        Assert.Equal(7, (options with { Stock = 7 }).StockOfEachItem());
        Assert.Equal(1, (options with { Robots = 1 }).StockOfEachItem());
    }

    [Fact]
    public void Only_the_first_cluster_is_near_the_storage_account()
    {
        var options = Options() with { StoreNearMs = 1, StoreFarMs = 2 };

        Assert.Equal(TimeSpan.FromMilliseconds(1), options.StoreLatencyOf("us"));
        Assert.Equal(TimeSpan.FromMilliseconds(2), options.StoreLatencyOf("eu"));
    }

    private static RunOptions Options() => new() { Clusters = ["us", "eu"], Variant = Variant.Sensible[0], Robots = 10, Seconds = 20 };

    private static string Refused(RunOptions options) => Assert.Throws<UsageException>(() => OptionRules.Check(options)).Message;
}
