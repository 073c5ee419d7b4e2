using Geo.Processes;
using Geo.Testing.Wan;

namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// Three clusters as processes, each of which keeps its part of the values, one more that may, and clusters in this process that keep none.
/// </summary>
public class KeeperProcesses : IAsyncLifetime
{
    /// <summary>May keep values, and does not run after the beginning.</summary>
    internal const string Spare = "africa";

    private static readonly string[] Clusters = ["us", "eu", "asia"];

    private readonly TemporaryFolder _folder = new();
    private readonly ChildLog _log = new();
    private readonly Dictionary<string, int> _ports =
        Clusters.Append(Spare).Zip(FreePorts.Take(Clusters.Length + 1)).ToDictionary(p => p.First, p => p.Second, StringComparer.Ordinal);

    private readonly Dictionary<string, ChildProcess> _children = new(StringComparer.Ordinal);
    private readonly List<(KeeperLinks Links, QuorumConditionalStore Store, IDisposable Part)> _desks = [];
    private int _opened;

    internal static QuorumConfiguration Configuration { get; } = new(1, [.. Clusters.Select(c => new ClusterId(c))]);

    public virtual async ValueTask InitializeAsync()
    {
        await Task.WhenAll(_ports.Keys.Select(StartAsync));

        // As processes of two clusters: what one has written the other finds.
        for (var i = 1; i <= 2; i++)
        {
            var links = await KeeperLinks.StartAsync($"desk-{i}", _ports);
            var store = new QuorumConditionalStore(Configuration, rows: null);
            _desks.Add((links, store, store.Join(links.Messenger)));
        }

        // The first operation ever needs all, also the one that only may keep values.
        Assert.Equal(StoreWriteOutcome.Applied, (await WriteUntilKnownAsync("first")).Outcome);
        await KillAsync(Spare);
    }

    /// <summary>A store that asks the processes; of one cluster and the other by turns.</summary>
    public ValueTask<IConditionalStore> OpenAsync() => new(_desks[_opened++ % _desks.Count].Store);

    /// <summary>Ends a process as a crash would.</summary>
    public async Task KillAsync(string cluster)
    {
        await _children[cluster].KillAsync();
        await _children[cluster].DisposeAsync();
        _children.Remove(cluster);
    }

    /// <summary>Starts a process, over the file of the one before it.</summary>
    public async Task StartAsync(string cluster)
    {
        var child = ChildProcess.Start(
            cluster, ProgramStart.Of(typeof(KeeperRole).Assembly, KeeperRole.Name),
            new KeeperSettings(cluster, _ports, _folder.File($"{cluster}.db")), _log);
        lock (_children)
        {
            _children[cluster] = child;
        }

        Assert.Equal(cluster, await child.ReadyAsync<string>(CancellationToken.None));
    }

    /// <summary>Writes a key anew until a majority has said what became of it.</summary>
    internal async Task<StoreWrite> WriteUntilKnownAsync(string key)
    {
        var store = await OpenAsync();
        var limit = TimeSpan.FromMinutes(1);
        using var late = new CancellationTokenSource(limit);
        while (true)
        {
            var write = await store.WriteAsync(key, new byte[] { 1 }, null, late.Token);
            if (write.Outcome != StoreWriteOutcome.Unknown)
            {
                return write;
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (links, store, part) in _desks)
        {
            part.Dispose();
            await store.DisposeAsync();
            await links.DisposeAsync();
        }

        foreach (var child in _children.Values)
        {
            await child.StopAsync();
            await child.DisposeAsync();
        }

        _log.Dispose();
        _folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
