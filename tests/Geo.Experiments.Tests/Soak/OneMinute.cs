using Geo.Experiments.Soak;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Stores;
using Geo.Processes;

namespace Geo.Experiments.Tests.Soak;

/// <summary>The soak of half an hour in short. Its seed brings every kind of fault within the minute.</summary>
internal static class OneMinute
{
    private const int Seed = 1;
    private const int Customers = 8;

    public static async Task RunAsync(SoakStoreKind store)
    {
        using var logs = new TemporaryFolder();
        var options = new SoakOptions(
            store, TimeSpan.FromMinutes(1), Seed, Customers, SoakOptions.DefaultStartWithin, Path.GetDirectoryName(logs.File("us"))!);
        using var told = new StringWriter();

        var report = await SoakRun.RunAsync(options, told, TestContext.Current.CancellationToken);

        var lines = told.ToString();
        TestContext.Current.TestOutputHelper?.WriteLine(lines);
        Assert.Equal(Enum.GetValues<FaultKind>(), report.Faults.Select(fault => fault.Kind).Distinct().Order());
        Assert.True(report.Tally.Confirmed > Customers, lines);
        Assert.True(report.IsClean, lines);
    }
}
