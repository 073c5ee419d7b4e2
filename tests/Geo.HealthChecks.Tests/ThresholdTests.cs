using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Geo.HealthChecks.Tests;

public sealed class ThresholdTests
{
    private static readonly ClusterId Us = new("us");

    [Fact]
    public async Task A_silo_whose_clusters_are_linked_and_whose_stores_answer_is_healthy()
    {
        var report = await ReportAsync(Silo() with { Others = [Other(TimeSpan.Zero)] }, new StoreAnswer("Default", TimeSpan.Zero, null));

        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Equal(6, report.Entries.Count);
    }

    [Fact]
    public async Task A_lost_region_degrades_its_own_check_alone_whatever_follows_from_it()
    {
        var report = await ReportAsync(Silo() with
        {
            Others = [Other(TimeSpan.FromMinutes(1))],
            Doubtful = new(7, TimeSpan.FromHours(1)),
            Lags = [new(Us, "Cart", 3, TimeSpan.FromHours(1))],
        });

        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Equal(["geo.links"], NotHealthy(report));
        Assert.Contains("us for 0.00:01:00", report.Entries["geo.links"].Description);
    }

    [Fact]
    public async Task A_link_that_is_made_anew_is_no_fault() =>
        Assert.Equal(HealthStatus.Healthy, (await ReportAsync(Silo() with { Others = [Other(TimeSpan.FromSeconds(9))] })).Status);

    [Fact]
    public async Task Grains_in_doubt_and_replicas_behind_are_told_while_all_clusters_are_in_reach()
    {
        var report = await ReportAsync(Silo() with
        {
            Others = [Other(TimeSpan.Zero)],
            Doubtful = new(7, TimeSpan.FromMinutes(11)),
            Lags = [new(Us, "Cart", 3, TimeSpan.FromSeconds(31))],
        });

        Assert.Equal(["geo.doubtful", "geo.replication"], NotHealthy(report));
        Assert.Equal(HealthStatus.Degraded, report.Status);
    }

    [Theory]
    [InlineData(2.0, false, HealthStatus.Healthy)]
    [InlineData(4.5, false, HealthStatus.Degraded)]
    [InlineData(6.0, false, HealthStatus.Unhealthy)]
    [InlineData(2.0, true, HealthStatus.Unhealthy)]
    public async Task A_lease_that_was_not_renewed_degrades_and_one_that_ran_out_ends_the_health(
        double age, bool isFenced, HealthStatus expected)
    {
        var lease = new LeaseStatus(TimeSpan.FromSeconds(age), TimeSpan.FromSeconds(6), isFenced);

        Assert.Equal(expected, (await ReportAsync(Silo() with { Lease = lease })).Entries["geo.lease"].Status);
    }

    [Fact]
    public async Task A_slow_store_degrades_and_one_without_an_answer_does_what_the_setting_says()
    {
        var slow = new StoreAnswer("Default", TimeSpan.FromSeconds(2), null);
        var silent = new StoreAnswer("Ledgers", TimeSpan.FromSeconds(5), "it has not answered for 5 s");

        Assert.Equal(HealthStatus.Degraded, (await ReportAsync(Silo(), slow)).Status);
        var report = await ReportAsync(Silo(), slow, silent);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Contains("'Ledgers': it has not answered", report.Entries["geo.stores"].Description);
        Assert.Equal(
            HealthStatus.Unhealthy,
            (await ReportAsync(new ToldStatus(Silo(), silent), options => options.UnansweringStore = HealthStatus.Unhealthy)).Status);
    }

    [Theory]
    [InlineData(15, HealthStatus.Healthy)]
    [InlineData(13, HealthStatus.Degraded)]
    [InlineData(-1, HealthStatus.Degraded)]
    public async Task A_certificate_is_told_two_weeks_before_its_end(int days, HealthStatus expected) =>
        Assert.Equal(
            expected,
            (await ReportAsync(Silo() with { CertificateEnds = DateTimeOffset.UtcNow.AddDays(days) })).Entries["geo.certificate"].Status);

    [Fact]
    public async Task A_silo_that_has_not_started_is_unhealthy_in_every_check()
    {
        var report = await ReportAsync(new ToldStatus(null));

        Assert.All(report.Entries.Values, entry => Assert.Equal(HealthStatus.Unhealthy, entry.Status));
    }

    private static SiloReport Silo() => new() { Cluster = new("eu"), Node = "eu/1" };

    private static ClusterStatus Other(TimeSpan outOfReach) => new(Us, outOfReach, []);

    private static IEnumerable<string> NotHealthy(HealthReport report) =>
        report.Entries.Where(entry => entry.Value.Status != HealthStatus.Healthy).Select(entry => entry.Key).Order(StringComparer.Ordinal);

    private static Task<HealthReport> ReportAsync(SiloReport silo, params StoreAnswer[] stores) =>
        ReportAsync(new ToldStatus(silo, stores));

    private static async Task<HealthReport> ReportAsync(ToldStatus status, Action<GeoHealthOptions>? configure = null)
    {
        var services = new ServiceCollection();
        services.AddLogging().AddSingleton<IGeoStatus>(status).AddGeoHealthChecks(configure);
        await using var provider = services.BuildServiceProvider();
        return await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);
    }
}
