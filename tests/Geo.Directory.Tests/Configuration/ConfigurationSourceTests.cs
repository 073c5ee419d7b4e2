using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>What a silo that starts makes of what its neighbours have processed.</summary>
public sealed class ConfigurationSourceTests
{
    private static readonly ClusterId A = new("a"), B = new("b");

    [Fact]
    public void Beside_clusters_of_a_newer_build_a_silo_starts_as_beside_some_that_do_not_answer() => CompareAsync([9, 9], Assert.Null);

    [Fact]
    public void What_a_cluster_has_processed_and_nobody_can_read_keeps_a_silo_from_starting_and_names_it() => CompareAsync(
        [0, 9],
        refused => Assert.Contains(
            "What cluster 'b' has processed of the configuration is damaged",
            Assert.IsType<GeoSerializationException>(refused).Message, StringComparison.Ordinal));

    private static void CompareAsync(byte[] theirs, Action<Exception?> check)
    {
        var scheduler = new SimulationScheduler();
        var network = new SimulatedNetwork(
            scheduler, new ChoiceTape("network", new Random(1)), new() { MinDelay = World.OneWay, MaxDelay = World.OneWay });
        scheduler.Run(async () =>
        {
            var (here, there) = (scheduler.CreateLane("a"), scheduler.CreateLane("b"));
            var (messenger, other) = (network.Join(A, here), network.Join(B, there));
            using var answers = other.Handle(ConfigurationSource.Service, (_, _) => new(theirs));
            await using var source = new ConfigurationSource(
                A, [KeyValuePair.Create("b", new List<string>())], new GlobalDirectoryOptions(), new InMemoryConditionalStore(),
                new InMemoryConditionalStore(), _ => { }, scheduler.Time, new Random(1), NullLogger.Instance);
            check(await here.RunAsync(async () =>
            {
                await source.LoadAsync(TimeSpan.Zero, CancellationToken.None);
                return await Record.ExceptionAsync(() => source.CompareAsync(messenger, CancellationToken.None));
            }));
        });
    }
}
