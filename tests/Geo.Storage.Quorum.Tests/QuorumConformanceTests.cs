using System.Collections.Concurrent;
using Geo.Testing.Conformance;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The contract of every conditional store, with three clusters, of which one may be lost.</summary>
public sealed class QuorumConformanceTests : IDisposable
{
    private static readonly ClusterId[] Clusters = [new("us"), new("eu"), new("asia")];

    private static readonly ClusterId Africa = new("africa");

    private readonly ConcurrentDictionary<(ClusterId, string), ClusterMessageHandler> _handlers = [];
    private readonly Dictionary<ClusterId, InMemoryConditionalStore> _disks =
        Clusters.Append(Africa).ToDictionary(c => c, _ => new InMemoryConditionalStore());
    private readonly List<IDisposable> _parts = [];
    private int _opened;

    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory, MemberData(nameof(Cases))]
    public Task Keeps_the_contract(string name)
    {
        Array.ForEach(Clusters, c => Open(c));
        return ConditionalStoreConformance.RunAsync(name, new(OpenAsync));
    }

    [Theory, MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_without_one_of_three_clusters(string name)
    {
        // All are there at the beginning.
        Array.ForEach(Clusters, c => Open(c));
        await Open(Clusters[0]).ReadAsync("begin", TestContext.Current.CancellationToken);
        _parts[2].Dispose();
        await ConditionalStoreConformance.RunAsync(name, new(OpenAsync));
    }

    [Theory, MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_while_its_clusters_change(string name)
    {
        Array.ForEach(Clusters, c => Open(c));
        Open(Africa);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var store = Open(Clusters[0]);
        await ChangeAsync(store, Clusters[2]);
        var changes = ChangeAsync(store, end.Token);
        await ConditionalStoreConformance.RunAsync(name, new(OpenAsync));
        await end.CancelAsync();
        Assert.True(await changes > 1);
    }

    [Fact]
    public async Task A_value_over_the_limit_is_refused_and_pages_end_by_bytes()
    {
        var options = new QuorumStoreOptions { MaxValueBytes = 100, MaxPageBytes = 150 };
        foreach (var cluster in Clusters)
        {
            Open(cluster, options);
        }

        var store = Open(Clusters[0], options);
        for (var i = 0; i < 7; i++)
        {
            var write = await store.WriteAsync($"k{i}", new byte[100], null, TestContext.Current.CancellationToken);
            Assert.Equal(StoreWriteOutcome.Applied, write.Outcome);
        }

        await Assert.ThrowsAsync<GeoStorageException>(
            () => store.WriteAsync("k", new byte[101], null, TestContext.Current.CancellationToken).AsTask());
        var keys = new List<string>();
        await foreach (var entry in store.ListAsync("k", TestContext.Current.CancellationToken))
        {
            keys.Add(entry.Key);
        }

        Assert.Equal(Enumerable.Range(0, 7).Select(i => $"k{i}"), keys);
    }

    public void Dispose() => _parts.ForEach(p => p.Dispose());

    // asia is out and africa in; then eu comes and goes, and so on.
    private static async Task<long> ChangeAsync(QuorumConditionalStore store, CancellationToken end)
    {
        for (var i = 0; !end.IsCancellationRequested; i++)
        {
            await ChangeAsync(store, new[] { Africa, Clusters[1], Clusters[2], Clusters[1] }[i % 4]);
        }

        return (await store.DescribeKeepersAsync(CancellationToken.None)).Version;
    }

    // In or out, which must be made; a change of which not all is written yet may be asked for again.
    private static async Task ChangeAsync(QuorumConditionalStore store, ClusterId cluster)
    {
        var isIn = (await store.DescribeKeepersAsync(CancellationToken.None)).Clusters.Contains(cluster);
        var change = isIn
            ? await store.RemoveKeeperAsync(cluster, CancellationToken.None)
            : await store.AddKeeperAsync(cluster, CancellationToken.None);
        Assert.True(change.IsMade, change.Message);
    }

    // Handles take turns at the clusters, as processes in several regions would.
    private ValueTask<IConditionalStore> OpenAsync() => new(Open(Clusters[_opened++ % 2]));

    private QuorumConditionalStore Open(ClusterId cluster, QuorumStoreOptions? options = null)
    {
        var store = new QuorumConditionalStore(new(1, Clusters), _disks[cluster], options);
        _parts.Add(store.Join(new DirectMessenger(cluster, _handlers)));
        return store;
    }
}
