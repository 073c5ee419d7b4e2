using System.Diagnostics;
using System.Globalization;

namespace Geo.Testing.Tests;

public class MultiClusterSimulationTests(ITestOutputHelper output)
{
    private const int Seeds = 1000;

    // What a seed takes on average, with room for a fourth more. At 9,414 steps a thousand seeds take 49 s of processor time (Debug, both
    // cores at work), so with all that room 62 s: half of what two cores have in the 60 s that they may take. Their time itself says
    // nothing beside others, who share the cores, and the process: it is told, and not judged.
    private const int MaxStepsASeed = 12_000;

    // One of so many seeds runs twice, to show that chance alone decides.
    private const int RepeatEvery = 50;

    private static readonly string[] KindsOfFaults =
    [
        .. Enum.GetNames<StandardStory>().Select(story => $"stories: {story}"),
        "calls that never end", "links held", "lists of clusters refused", "messages between silos of a cluster lost",
        "row stores restored", "silos that stopped themselves", "silos that woke dead", "silos without a link of their own",
        "silos wrongly declared dead", "stores out of reach", "stores out of reach of one silo", "stores that hang",
        "stores that hang for one silo", "wall clocks that jump",
    ];

    private static readonly MultiClusterSimulationOptions KeepTrace =
        new() { KeepTrace = true, TraceFile = Environment.GetEnvironmentVariable("GEO_TRACE") };

    [Fact]
    public void A_thousand_seeds_hold_every_invariant_and_exercise_every_fault()
    {
        var total = new SimulationCounts();
        var failures = new List<string>();
        var seeds = SimulationSeed.FromEnvironment(Seeds);
        var (steps, time) = (0L, TimeSpan.Zero);
        var (began, used) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        OnEachProcessor(seeds, seed =>
        {
            var (report, failure) = RunOnce(seed);
            if (failure is not null || seed.Value % RepeatEvery == 0)
            {
                var (again, failureAgain) = RunOnce(seed);
                failure = (report?.TraceHash, failure) == (again?.TraceHash, failureAgain) ? failure
                    : $"Seed {seed} is not deterministic: {failure ?? "passed"}, then {failureAgain ?? "passed"}, or with another trace.";
            }

            lock (total)
            {
                if (failure is not null)
                {
                    failures.Add(failure);
                }
                else
                {
                    total.Add(report!.Counts);
                    steps += report.Steps;
                    time += report.Time;
                }
            }
        });

        var took = Stopwatch.GetElapsedTime(began);
        used = Environment.CpuUsage.TotalTime - used;
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{seeds.Count} seeds in {took.TotalSeconds:0} s, {seeds.Count / took.TotalSeconds:0.0} a second on "
            + $"{Environment.ProcessorCount} cores, {used.TotalSeconds:0} s of processor time in this process, "
            + $"{steps / seeds.Count} steps a seed, {time / took:0} times real time: {total}"));
        Assert.True(failures.Count == 0,
            $"{failures.Count} seeds failed:{Environment.NewLine}{string.Join(Environment.NewLine, failures.Take(20))}");
        if (seeds.Count >= Seeds)
        {
            var exercised = new[]
            {
                total.Rounds, total.Losers, total.Doubtful, total.TakeOvers, total.DuplicatesHealed, total.Deactivations, total.Forwards,
                total.StaleCached, total.HandIns,
                total.MessagesLost, total.UnknownOutcomes, total.Conflicts, total.Crashes, total.Stops, total.Freezes,
                total.UpdatesConfirmed,
                total.UpdatesOpen, total.Reads, total.Unavailable, total.Issues,
            };
            Assert.True(steps < (long)MaxStepsASeed * seeds.Count, $"{steps} steps are more than {MaxStepsASeed} a seed");
            Assert.All(exercised, count => Assert.True(count > 0, total.ToString()));
            Assert.All(KindsOfFaults, kind => Assert.True(total.Faults.GetValueOrDefault(kind) > 0, $"no {kind}: {total}"));
        }
    }

    [Fact]
    public void One_seed_gives_the_same_trace_byte_for_byte()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(5))
        {
            var first = MultiClusterSimulation.Run(seed, KeepTrace);
            var second = MultiClusterSimulation.Run(seed, KeepTrace);
            Assert.NotEmpty(first.Trace);
            Assert.Equal(first.Trace, second.Trace);
            Assert.Equal(first.TraceHash, second.TraceHash);
            if (KeepTrace.TraceFile is { } file)
            {
                File.WriteAllText(file, first.Trace);
            }
        }
    }

    [Fact]
    public async Task One_seed_gives_the_same_trace_in_another_process()
    {
        var file = Path.GetTempFileName();
        try
        {
            var start = new ProcessStartInfo("dotnet")
            {
                ArgumentList =
                {
                    "exec", typeof(MultiClusterSimulationTests).Assembly.Location, "-method",
                    $"*.{nameof(One_seed_gives_the_same_trace_byte_for_byte)}",
                },
                Environment = { [SimulationSeed.EnvironmentVariable] = "3", ["GEO_TRACE"] = file },
                RedirectStandardOutput = true,
            };
            using var child = Process.Start(start)!;
            await child.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            await child.WaitForExitAsync(TestContext.Current.CancellationToken);

            Assert.Equal(0, child.ExitCode);
            Assert.Equal(
                MultiClusterSimulation.Run(new SimulationSeed(3), KeepTrace).Trace,
                await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public void Different_seeds_give_different_traces() =>
        Assert.Equal(
            20, Enumerable.Range(1, 20).Select(seed => MultiClusterSimulation.Run(new SimulationSeed(seed)).TraceHash).Distinct().Count());

    [Fact]
    public void A_row_store_that_ignores_versions_is_noticed() =>
        ExpectFailure(
            [
                "Proposition 3.1", "Proposition 3.2", "has instances", "still", "asks the others", "is gone", "take",
                "another list of clusters", "becomes", "for the second time", "the fence of", "begins after life",
            ],
            new() { BreakRows = rows => new CarelessStore(rows) });

    [Fact]
    public void A_state_store_that_ignores_versions_is_noticed() =>
        ExpectFailure(["lost", "no prefix", "own update", "not linearizable", "set back", "cannot be read"],
            new() { BreakState = states => new CarelessStore(states) });

    [Fact]
    public void A_cluster_that_lets_every_request_pass_is_noticed() =>
        ExpectFailure(
            ["Proposition 3.1", "has instances"],
            new() { BreakMessenger = messenger => new YieldingMessenger(messenger) });

    [Fact]
    public void Options_out_of_range_are_refused_by_name()
    {
        var refused = Assert.Throws<GeoConfigurationException>(
            () => MultiClusterSimulation.Run(new SimulationSeed(1), new() { ClientsPerCluster = 0 }));
        Assert.Contains(nameof(MultiClusterSimulationOptions.ClientsPerCluster), refused.Message, StringComparison.Ordinal);
    }

    private static (SimulationReport? Report, string? Failure) RunOnce(SimulationSeed seed)
    {
        try
        {
            return (MultiClusterSimulation.Run(seed), null);
        }
        catch (SimulationException e)
        {
            return (null, e.Message);
        }
    }

    /// <summary>Threads of their own: simulations would occupy those of the pool, which other tests need.</summary>
    private static void OnEachProcessor(IReadOnlyList<SimulationSeed> seeds, Action<SimulationSeed> run)
    {
        var next = -1;
        var threads = Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new Thread(() =>
        {
            for (int i; (i = Interlocked.Increment(ref next)) < seeds.Count;)
            {
                run(seeds[i]);
            }
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
    }

    private void ExpectFailure(string[] anyOf, MultiClusterSimulationOptions options)
    {
        for (var seed = 1; seed <= 60; seed++)
        {
            try
            {
                MultiClusterSimulation.Run(new SimulationSeed(seed), options);
            }
            catch (SimulationException e)
            {
                output.WriteLine(e.Message);
                Assert.Contains(anyOf, what => e.Message.Contains(what, StringComparison.Ordinal));
                Assert.Contains($"GEO_SEED={seed}", e.Message, StringComparison.Ordinal);
                return;
            }
        }

        Assert.Fail("No seed of 60 noticed it.");
    }

    /// <summary>Replaces every answer of the directory by Pass.</summary>
    private sealed class YieldingMessenger(IClusterMessenger inner) : MessengerOver(inner)
    {
        public override IDisposable Handle(string service, ClusterMessageHandler handler) =>
            Inner.Handle(service, service != "geo.gsi" ? handler : async (message, cancellationToken) =>
            {
                var reply = await handler(message, cancellationToken);
                return reply.IsEmpty ? reply : Pass(reply.Span);
            });

        private static byte[] Pass(ReadOnlySpan<byte> reply)
        {
            var reader = new PayloadReader(reply);
            var writer = new PayloadWriter();
            writer.WriteByte(reader.ReadByte());
            writer.WriteSigned(reader.ReadSigned());
            writer.WriteByte(1);
            writer.WriteText(null);
            writer.WriteText(null);

            // In place of what the reply says and of whom; by which configuration it goes stays.
            reader.ReadByte();
            reader.ReadText();
            reader.ReadText();
            reader.Rest.CopyTo(writer.GetSpan(reader.Rest.Length));
            writer.Advance(reader.Rest.Length);
            return writer.ToArray();
        }
    }
}
