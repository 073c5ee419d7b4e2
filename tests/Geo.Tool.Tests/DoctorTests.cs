using System.Reflection;
using Geo.Administration;
using Geo.HealthChecks;
using Geo.Tool.Tests.Kit;

namespace Geo.Tool.Tests;

/// <summary>
/// Each fault is seeded by itself; <c>geo doctor</c> names it, and nothing else. It does so within five seconds: the tool waits no longer,
/// and what it has not named by then it does not name.
/// </summary>
public sealed class DoctorTests
{
    [Fact]
    public async Task Nothing_is_wrong_where_nothing_is() => await NamesAsync(new() { Messenger = new ScriptedCluster() }, null);

    [Fact]
    public async Task A_region_that_is_down() =>
        await NamesAsync(new() { Messenger = new ScriptedCluster { IsUp = false } }, "region-down");

    [Fact]
    public async Task A_region_that_went_down_this_moment() => await NamesAsync(
        new() { Messenger = new ScriptedCluster { IsUp = false }, Health = health => health.OutOfReach = TimeSpan.FromHours(1) },
        "region-down");

    [Theory]
    [InlineData("reaches", null)]
    [InlineData("node", null)]
    [InlineData("version", 7)]
    public async Task A_region_whose_answer_this_version_does_not_understand(string member, object? told)
    {
        var us = new ScriptedCluster();
        us.Summary![member] = told;
        await NamesAsync(new() { Messenger = us }, "version-mix");
    }

    [Fact]
    public async Task A_region_whose_clock_cannot_be()
    {
        var us = new ScriptedCluster { UtcTicks = long.MaxValue };
        await NamesAsync(new() { Messenger = us }, "version-mix");
    }

    [Fact]
    public async Task A_region_without_the_endpoint_is_no_fault()
    {
        await using var us = await Region.StartAsync(new() { Cluster = "us", Other = "eu", HasEndpoint = false });
        await using var eu = await Region.StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() });

        await ToldByAsync(eu, null, () => Task.CompletedTask);
    }

    [Fact]
    public async Task A_link_that_carries_one_way_only()
    {
        var us = new ScriptedCluster { Summary = null };
        await NamesAsync(
            new() { Messenger = us, Admin = admin => admin.AskInterval = TimeSpan.FromMinutes(1) }, "one-way-link", us.GreetAsync);
    }

    [Fact]
    public async Task Every_silo_of_another_cluster_is_greeted_so_that_each_knows_who_is_heard()
    {
        var us = new ScriptedCluster();
        await using var eu = await Region.StartAsync(new()
        {
            Messenger = us,
            Told = report => report with
            {
                Others = [.. report.Others.Select(other => other with { Links = [new() { Peer = "us/1" }, new() { Peer = "us/2" }] })],
            },
        });

        await Eventually.Is(() => Task.FromResult(string.Join(", ", us.Greeted)), greeted => greeted == "0, 1");
    }

    [Fact]
    public async Task A_link_over_which_the_other_cluster_does_not_come_back()
    {
        var us = new ScriptedCluster();
        us.Summary!["reaches"] = Array.Empty<string>();
        await NamesAsync(new() { Messenger = us }, "one-way-link");
    }

    [Fact]
    public async Task Clocks_that_differ() =>
        await NamesAsync(new() { Messenger = new ScriptedCluster { ClockAhead = TimeSpan.FromMinutes(-5) } }, "clock-skew");

    [Fact]
    public async Task A_store_that_is_slow() => await NamesAsync(
        new()
        {
            Messenger = new ScriptedCluster(),
            Geo = geo => geo.AddStore("Ledgers", _ => new SlowStore(TimeSpan.FromMilliseconds(600))),
            Health = health => health.SlowStore = TimeSpan.FromMilliseconds(500),
        },
        "store-slow");

    [Fact]
    public async Task A_store_that_is_not_shared()
    {
        var store = new InMemoryConditionalStore();
        await StoreIdentity.EnsureAsync(
            store, Guid.NewGuid(), TimeProvider.System, TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        var us = new ScriptedCluster();
        us.Summary!["storeIdentities"] = new Dictionary<string, string> { ["Ledgers"] = Guid.NewGuid().ToString("N") };
        await NamesAsync(new() { Messenger = us, Geo = geo => geo.AddStore("Ledgers", _ => store) }, "store-not-shared");
    }

    [Fact]
    public async Task A_certificate_that_is_about_to_expire()
    {
        var us = new ScriptedCluster();
        us.Summary!["certificateEnds"] = DateTimeOffset.UtcNow.AddDays(3);
        await NamesAsync(new() { Messenger = us }, "certificate-expiring");
    }

    [Fact]
    public async Task A_mix_of_versions()
    {
        var us = new ScriptedCluster();
        us.Summary!["version"] = "0.0.9";
        await NamesAsync(new() { Messenger = us }, "version-mix");
    }

    [Fact]
    public async Task A_mix_of_builds_of_one_version()
    {
        var us = new ScriptedCluster();
        us.Summary!["version"] = $"{SiloVersion.Current.Split('+')[0]}+000000000000";
        await NamesAsync(new() { Messenger = us }, "version-mix");
    }

    [Fact]
    public void The_version_that_a_silo_tells_names_the_commit_of_its_build()
    {
        var whole = typeof(IGeoStatus).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;

        Assert.StartsWith(SiloVersion.Current, whole, StringComparison.Ordinal);
        Assert.Equal(whole.Contains('+'), SiloVersion.Current.Contains('+'));
    }

    [Fact]
    public async Task A_grain_that_stays_in_doubt()
    {
        // Begun while the other cluster was away; that is back, and does not answer rounds.
        var us = new ScriptedCluster { IsUp = false };
        await using var eu = await Region.StartAsync(
            new() { Messenger = us, Health = health => health.DoubtfulAge = TimeSpan.FromMilliseconds(1) });
        await eu.Grains.GetGrain<ICounter>("a").Add(1);
        us.IsUp = true;

        await ToldByAsync(eu, "doubtful-stays", () => Task.CompletedTask);
        await Eventually.Is(() => eu.RunAsync("doubtful"), run => run.Output.Contains("counter/a", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_lane_that_is_full() => await NamesAsync(
        new()
        {
            Messenger = new ScriptedCluster(),
            Told = report => report with
            {
                Others = [.. report.Others.Select(other => other with { Links = [new() { Peer = "us/silo", Fill = 0.95 }] })],
            },
        },
        "lane-full");

    [Fact]
    public async Task A_replica_that_is_behind() => await NamesAsync(
        new()
        {
            Messenger = new ScriptedCluster(),
            Told = report => report with { Lags = [new(new("us"), "cart", 7, TimeSpan.FromMinutes(1))] },
        },
        "replica-behind");

    [Fact]
    public async Task What_hangs_is_named_within_the_five_seconds_by_an_endpoint_with_the_times_that_it_has_by_default()
    {
        var us = new ScriptedCluster();
        var store = new SlowStore(TimeSpan.Zero);
        await using var eu = await Region.StartAsync(new()
        {
            Messenger = us,
            Geo = geo => geo.AddStore("Ledgers", _ => store),
            Health = health => health.SlowStore = new GeoHealthOptions().SlowStore,
            Admin = admin => admin.AnswerTimeout = new GeoAdministrationOptions().AnswerTimeout,
        });
        store.Delay = TimeSpan.FromHours(1);
        us.Answering = new TaskCompletionSource().Task;

        await Eventually.Is(
            async () => Told(await eu.RunAsync("doctor", "--json")).Split(", "),
            names => names.Contains("region-down") && names.Contains("store-slow"));
    }

    [Theory]
    [InlineData(5)]
    [InlineData(0.1, "--within", "0.1")]
    public async Task An_answer_that_does_not_come_in_time_is_said_to_be_none(double seconds, params string[] within)
    {
        var us = new ScriptedCluster();
        await using var eu = await Region.StartAsync(new() { Messenger = us });
        us.Answering = new TaskCompletionSource().Task;

        var run = await eu.RunAsync(["doctor", .. within]);

        Assert.Equal(EntryPoint.Refused, run.ExitCode);
        Assert.Contains(FormattableString.Invariant($"did not answer within {seconds} s"), run.Errors);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("3601")]
    [InlineData("soon")]
    public async Task A_time_that_cannot_be_is_refused(string seconds)
    {
        var run = await ToolRun.OfAsync(["doctor", "--within", seconds], "key");

        Assert.Equal(EntryPoint.Refused, run.ExitCode);
        Assert.Contains("--within", run.Errors);
    }

    private static async Task NamesAsync(RegionOptions options, string? fault, Func<Task>? before = null)
    {
        await using var eu = await Region.StartAsync(options);
        await ToldByAsync(eu, fault, before ?? (() => Task.CompletedTask));
    }

    private static async Task ToldByAsync(Region eu, string? fault, Func<Task> before)
    {
        // What is read in the background at first, stores' identities, may take a moment.
        await Eventually.Is(
            async () =>
            {
                await before();
                return Told(await eu.RunAsync("doctor", "--json"));
            },
            names => names == (fault ?? ""));
        var shown = await Eventually.Is(
            async () =>
            {
                await before();
                return await eu.RunAsync("doctor");
            },
            run => run.ExitCode != EntryPoint.Refused);
        Assert.Equal(fault is null ? 0 : EntryPoint.Found, shown.ExitCode);
        Assert.StartsWith(fault ?? "Nothing is wrong", shown.Output);
    }

    // One that has no answer within its five seconds has named nothing; on a busy machine it is asked again.
    private static string Told(ToolRun run) => run.ExitCode == EntryPoint.Refused
        ? run.Errors
        : string.Join(", ", run.ReadJson().EnumerateArray().Select(finding => finding.GetProperty("name").GetString()));
}
