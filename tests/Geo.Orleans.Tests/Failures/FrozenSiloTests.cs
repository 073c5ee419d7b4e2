using System.Diagnostics;
using Geo.Messaging;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Orleans.Tests.Processes;
using Geo.Processes;
using Geo.Testing.Storage;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Orleans.Tests.Failures;

public sealed class FrozenSiloTests
{
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(2);

    [Fact]
    public async Task A_silo_that_was_frozen_while_its_grains_moved_answers_no_call_on_them_when_it_wakes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "Freezing a process takes the signals of a Unix system.");
        var runs = LongRuns.Wanted ? 20 : 1;
        await using var clusters = await GeoTestCluster.StartAsync(
            GeoTestClusterOptions.Impatient with { LosesSilos = true, LeaseDuration = Lease });
        await using var account = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("account"), ListenOn = PeerAddress.Loopback() }, TimeProvider.System,
            NullLoggerFactory.Instance);
        await account.StartAsync(TestContext.Current.CancellationToken);
        using var rows = new StorageAccountService(account, clusters.RowsOf("eu"));

        var (answered, began) = (0, 0);
        for (var run = 0; run < runs; run++)
        {
            var (runAnswered, runBegan) = await FreezeAsync(clusters, account.ListeningOn!.Port, $"frozen-{run}");
            answered += runAnswered;
            began += runBegan;
        }

        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{runs} runs of {SiloProcess.Keys} grains: {answered} answered calls on moved activations, {began} that began to run and "
            + "were not confirmed.");
        Assert.Equal(0, answered);
    }

    private static async Task<(int Answered, int Began)> FreezeAsync(GeoTestCluster clusters, int account, string prefix)
    {
        var path = Path.Combine(Path.GetTempPath(), $"geo-marks-{Guid.NewGuid():N}");
        try
        {
            using var marks = new ServedMarks(path, SiloProcess.Keys);
            var free = FreePorts.Take(3);
            var primary = clusters.SilosOf("eu")[0].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress.Endpoint.Port;
            using var log = new ChildLog();
            var arguments = SiloProcess.Arguments(
                new SiloPorts(free[0], free[1], free[2]), primary, account, clusters.EntryPointsOf("us")[0], Lease, path, prefix);
            await using var silo = ChildProcess.Start("silo", ProgramStart.Of(typeof(SiloProcess).Assembly, arguments), log);
            await Eventually.Is(true, () => Task.FromResult(
                silo.HasExited || (marks.IsReady && Enumerable.Range(0, SiloProcess.Keys).All(key => marks.Answered(key) > 0))));
            Assert.False(silo.HasExited, log.Last);

            await silo.SignalAsync("STOP");
            await Eventually.Is(true, () => Task.FromResult(silo.IsFrozen));
            var frozen = Stopwatch.GetTimestamp();
            for (var key = 0; key < SiloProcess.Keys; key++)
            {
                var name = SiloProcess.KeyOf(prefix, key);
                var fromEu = await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ITimed>(name).Serve().AsTask());
                Assert.Equal(Environment.ProcessId, fromEu.Process);
                Assert.InRange(marks.Answered(key), 1, frozen);

                // A round that goes to the frozen silo is asked again of the other one: nobody makes an instance of their own.
                var fromUs = await Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ITimed>(name).Serve().AsTask());
                Assert.Equal(fromEu.Activation, fromUs.Activation);
            }

            var woken = Stopwatch.GetTimestamp();
            await silo.SignalAsync("CONT");
            await silo.WaitAsync(TimeSpan.FromSeconds(3));
            var keys = Enumerable.Range(0, SiloProcess.Keys).ToArray();
            return (keys.Count(key => marks.Answered(key) > woken), keys.Count(key => marks.Began(key) > woken));
        }
        finally
        {
            File.Delete(path);
        }
    }
}
