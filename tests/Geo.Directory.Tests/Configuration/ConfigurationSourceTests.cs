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

    /// <summary>By force, say: others may own by now what it owned.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_silo_whose_neighbour_knows_that_its_cluster_was_taken_out_does_not_start_where_the_store_cannot_be_read(bool isOut)
    {
        var store = new InMemoryConditionalStore();
        ReadOnlyMemory<byte> theirs = default;
        CompareAsync(
            store, () => theirs,
            async () =>
            {
                var read = await store.ReadAsync(ConfigurationDocuments.Key);
                var first = ConfigurationDocument.Decode(read.Value.Span);
                theirs = first.Next(isOut ? first.Clusters.Remove(A) : first.Clusters).Encode();
                await store.WriteAsync(ConfigurationDocuments.Key, new byte[] { 0, 9 }, read.ETag);
            },
            refused =>
            {
                if (isOut)
                {
                    Assert.Contains(
                        "without cluster 'a'", Assert.IsType<GeoConfigurationException>(refused).Message, StringComparison.Ordinal);
                }
                else
                {
                    Assert.Null(refused);
                }
            });
    }

    private static void CompareAsync(byte[] theirs, Action<Exception?> check) => CompareAsync(
        new InMemoryConditionalStore(), () => theirs, () => Task.CompletedTask, check);

    private static void CompareAsync(
        InMemoryConditionalStore store, Func<ReadOnlyMemory<byte>> theirs, Func<Task> loaded, Action<Exception?> check)
    {
        var scheduler = new SimulationScheduler();
        var network = new SimulatedNetwork(
            scheduler, new ChoiceTape("network", new Random(1)), new() { MinDelay = World.OneWay, MaxDelay = World.OneWay });
        scheduler.Run(async () =>
        {
            var (here, there) = (scheduler.CreateLane("a"), scheduler.CreateLane("b"));
            var (messenger, other) = (network.Join(A, here), network.Join(B, there));
            using var answers = other.Handle(ConfigurationSource.Service, (_, _) => new(theirs()));
            await using var source = new ConfigurationSource(
                A, [KeyValuePair.Create("b", new List<string>())], new GlobalDirectoryOptions(), store,
                new InMemoryConditionalStore(), _ => { }, scheduler.Time, new Random(1), NullLogger.Instance);
            check(await here.RunAsync(async () =>
            {
                await source.LoadAsync(TimeSpan.Zero, CancellationToken.None);
                await loaded();
                return await Record.ExceptionAsync(() => source.CompareAsync(messenger, CancellationToken.None));
            }));
        });
    }
}
