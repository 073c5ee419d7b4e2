using System.Collections.Immutable;

namespace Geo.Directory.Tests;

/// <summary>
/// What clusters say of how far they have come: it only goes up, whoever writes it late, and a damaged word stops nobody else.
/// </summary>
public sealed class ConfigurationProgressTests
{
    private const int Seeds = 25;

    private static readonly ClusterId A = new("a"), B = new("b"), C = new("c");

    private static readonly byte[] _damaged = [0, 9];

    private readonly InMemoryConditionalStore _store = new();

    [Fact]
    public async Task C3_what_a_cluster_has_said_is_taken_back_by_no_silo_that_is_late()
    {
        var documents = new ConfigurationDocuments(_store);
        var complete = Word(2, held: 0, ("a/1", 2), ("a/2", 2));
        foreach (var earlier in new[]
        {
            Word(1, held: null, ("a/1", 1)),
            Word(1, held: 0, ("a/1", 1)),
            Word(2, held: null, ("a/1", 2), ("a/2", 1)),
            Word(2, held: 3, ("a/1", 2), ("a/2", 2)),
        })
        {
            await documents.TellAsync(earlier, null, CancellationToken.None);
            await documents.TellAsync(complete, null, CancellationToken.None);
            await documents.TellAsync(earlier, null, CancellationToken.None);
            var said = (await documents.ProgressOfAsync(A, CancellationToken.None))!;
            Assert.Equal((2, 0), (said.Stored, said.Held));
            Assert.Equal([2, 2], said.Silos.Values);
        }

        await documents.TellAsync(Word(3, held: null, ("a/1", 2)), null, CancellationToken.None);
        Assert.Equal(3, (await documents.ProgressOfAsync(A, CancellationToken.None))!.Stored);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void C3_a_word_that_is_lost_or_damaged_is_said_again_by_a_cluster_that_runs(bool isDamaged) => Run(21, async world =>
    {
        var (a, b, _) = await StartAllAsync(world);
        await world.PassAsync(10);
        await SetAsync(world, "b", isDamaged ? _damaged : null);
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
        await world.UntilAsync(() => a.Works!.MayOwn(C) && b.Works!.MayOwn(C));
    });

    [Fact]
    public void C3_a_damaged_word_of_a_cluster_that_is_away_is_named_and_does_not_stop_its_removal() => Run(22, async world =>
    {
        var (a, b, _) = await StartAllAsync(world);
        await world.PassAsync(10);
        b.Crash();
        await SetAsync(world, "b", _damaged);
        var refused = await a.Lane.RunAsync(() => a.Administration.AddAsync(C, []).AsTask());
        Assert.Contains("'geo/configuration/b' of the configuration store, is damaged", refused.Message, StringComparison.Ordinal);
        var view = await a.Lane.RunAsync(() => a.Administration.DescribeAsync().AsTask());
        Assert.Contains("'geo/configuration/b'", view.Waiting, StringComparison.Ordinal);
        Assert.True((await world.AskAsync(a, o => o.ForceRemoveAsync([B]))).IsMade);
        await world.UntilAsync(() => a.Works!.Clusters.Count == 1);
    });

    [Fact]
    public void C3_a_damaged_word_of_a_cluster_that_does_not_count_stops_no_change() => Run(23, async world =>
    {
        var (a, _, _) = await StartAllAsync(world);
        await SetAsync(world, "gone", _damaged);
        await SetAsync(world, "no cluster / has this name", _damaged);
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
        await world.UntilAsync(() => a.Works!.MayOwn(C));
    });

    [Fact]
    public void C8_what_was_said_of_versions_before_a_backup_was_restored_takes_no_cluster_out() => Run(25, async world =>
    {
        var (a, b, c) = await StartAllAsync(world);
        var backup = (await world.Shared.ReadAsync(ConfigurationDocuments.Key)).Value.ToArray();
        await world.PassAsync(5);
        Assert.True((await world.AskAsync(a, o => o.RemoveAsync(B))).IsMade);
        await world.UntilAsync(() => new[] { a, b, c }.All(s => s.Works!.Version == 3));
        await world.PassAsync(5);

        // As operations.md says, but for the words: all silos stop, and what the clusters have processed is removed.
        await world.SetBackAsync(backup);
        (a, b, _) = await StartAllAsync(world);
        b.Held = 4;
        await world.PassAsync(20);
        Assert.True((await world.AskAsync(a, o => o.RemoveAsync(B))).IsMade);
        await world.PassAsync(20);
        Assert.True((await world.AskAsync(a, o => o.ReachAsync(A, ["a:7"]))).IsMade);
        await world.PassAsync(20);
        Assert.Equal((3, 3), (a.Works!.Version, b.Works!.Version));
        var view = await a.Lane.RunAsync(() => a.Administration.DescribeAsync().AsTask());
        Assert.Contains("cluster 'b' holds 4 rows still", view.Waiting, StringComparison.Ordinal);
        b.Held = 0;
        await world.UntilAsync(() => !a.Works!.Includes(B));
    });

    [Theory]
    [InlineData(1, "older build", "Stop all silos")]
    [InlineData(9, "newer build", "Run that build or a newer one")]
    [InlineData(0, "is damaged", "")]
    [InlineData((byte)'{', "is damaged", "")]
    public async Task What_another_build_has_written_is_not_called_damaged_and_what_to_do_is_told(byte form, string what, string remedy)
    {
        var documents = new ConfigurationDocuments(_store);
        await KeptClusters.SetAsync(_store, ConfigurationDocuments.Key, [form, 7, 7]);
        var refused = await Assert.ThrowsAsync<GeoSerializationException>(() => documents.ReadAsync(CancellationToken.None));
        var rows = new InMemoryConditionalStore();
        await KeptClusters.SetAsync(rows, StoredConfiguration.Key, [form, 7, 7]);
        var unknown = await Assert.ThrowsAsync<GeoSerializationException>(
            () => new StoredConfiguration(rows).ReadAsync(CancellationToken.None));
        await KeptClusters.SetAsync(_store, $"{ConfigurationDocuments.Key}/a", [form, 7, 7]);
        var word = (await documents.ProgressOfAsync(A, CancellationToken.None))!;
        var behind = word.Behind(ConfigurationDocument.First(Guid.Empty, [KeyValuePair.Create(A, ImmutableArray<string>.Empty)]))!;
        foreach (var (said, where) in new[]
        {
            (refused.Message, "Row 'geo/configuration' of the configuration store"),
            (unknown.Message, "Row 'geo/configuration' of this cluster's row store"),
            (behind, "row 'geo/configuration/a' of the configuration store"),
        })
        {
            Assert.Contains(where, said, StringComparison.Ordinal);
            Assert.Contains(what, said, StringComparison.Ordinal);
            Assert.Contains(remedy, said, StringComparison.Ordinal);
            Assert.Equal(what == "is damaged", said.Contains("damaged", StringComparison.Ordinal));
            Assert.Equal(what == "newer build", said.Contains("do not overwrite", StringComparison.Ordinal));
        }
    }

    [Fact]
    public void C3_a_word_that_a_newer_build_has_written_is_left_as_it_is() => Run(26, async world =>
    {
        var (a, _, _) = await StartAllAsync(world);
        await world.PassAsync(10);
        await SetAsync(world, "b", [9, 9]);
        await world.PassAsync(10);
        Assert.Equal([9, 9], (await world.Shared.ReadAsync($"{ConfigurationDocuments.Key}/b")).Value.ToArray());
        var refused = await a.Lane.RunAsync(() => a.Administration.AddAsync(C, []).AsTask());
        Assert.Contains("was written by a newer build", refused.Message, StringComparison.Ordinal);

        // As an operator does who has gone back for good.
        await SetAsync(world, "b", null);
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
    });

    [Fact]
    public void C8_a_drain_that_takes_long_keeps_no_silo_from_later_versions() => Run(24, async world =>
    {
        var (a, b, _) = await StartAllAsync(world);
        var pass = new TaskCompletionSource();
        b.Draining = pass.Task;
        Assert.True((await world.AskAsync(a, o => o.RemoveAsync(B))).IsMade);
        await world.PassAsync(10);
        Assert.True((await world.AskAsync(a, o => o.ReachAsync(A, ["a:7"]))).IsMade);
        await world.UntilAsync(() => b.Works!.Version == 3);
        pass.SetResult();
        await world.UntilAsync(() => !a.Works!.Includes(B));
    });

    [Fact]
    public void C4_whatever_has_failed_the_next_change_goes_through_once_all_has_healed()
    {
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var world = new KeptClusters(seed);
            try
            {
                world.Scheduler.Run(() => HealsAsync(world));
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                Assert.Fail($"seed {seed}: {e.Message}");
            }
        }
    }

    private static async Task HealsAsync(KeptClusters world)
    {
        await world.LiveAsync();
        await world.HealAsync();

        // A silo that has just started fences off one that the membership takes for living when it has waited for the longest outage.
        await world.PassAsync(90);
        var asked = world.All.SelectMany(c => c.Silos).First(s => s.Serves && s.Works!.MayOwn(s.Id));
        var made = await world.AskAsync(asked, o => o.ReachAsync(asked.Id, ["again:1"]));
        Assert.True(made.IsMade, made.Message);
        await world.UntilAsync(() => world.All.SelectMany(c => c.Silos).Where(s => s.Serves).All(s => s.Works!.Version >= made.Version));
    }

    private static ClusterProgress Word(long stored, long? held, params (string Silo, long Version)[] silos) =>
        new(A, stored, stored, silos.ToImmutableSortedDictionary(s => s.Silo, s => s.Version, StringComparer.Ordinal), held);

    private static void Run(int seed, Func<KeptClusters, Task> test)
    {
        var world = new KeptClusters(seed);
        world.Scheduler.Run(() => test(world));
    }

    private static async Task<(KeptSilo A, KeptSilo B, KeptSilo C)> StartAllAsync(KeptClusters world) =>
        (await world.StartAsync(world.All[0]), await world.StartAsync(world.All[1]), await world.StartAsync(world.All[2]));

    private static Task SetAsync(KeptClusters world, string cluster, byte[]? word) =>
        KeptClusters.SetAsync(world.Shared, $"{ConfigurationDocuments.Key}/{cluster}", word);
}
