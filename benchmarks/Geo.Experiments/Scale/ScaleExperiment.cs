using System.Diagnostics;
using System.Globalization;
using Geo.Directory;
using Geo.Storage.Sqlite;

namespace Geo.Experiments.Scale;

/// <summary>
/// One cluster with many grains, in one process: what a row takes, what a scan costs and how long it holds up a read beside it, and how
/// long the grains of a lost silo take to answer again, with and without a round over the distance.
/// </summary>
internal sealed class ScaleExperiment(int rows, int lost, TimeSpan roundTrip, FileInfo? file, TextWriter output)
{
    private const int Parallelism = 256;

    // An Owned row with a short name of a node.
    private const int RowBytes = 48;

    private static readonly ClusterId Home = new("home");
    private static readonly ClusterId Away = new("away");

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var where = file is null ? "in memory" : "in an SQLite file";
        Tell($"{rows:N0} rows, {where}, {Environment.ProcessorCount} cores, .NET {Environment.Version}, {DateTime.UtcNow:u}");
        var keys = Keys("cart", rows);
        await TellStoreAsync(keys, cancellationToken);
        await using var store = file is null ? null
            : await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = file.FullName }, cancellationToken);
        var gone = new HashSet<string>();
        var alone = new MultiClusterConfiguration(1, [Home]);
        var options = new GlobalDirectoryOptions { ScanInterval = TimeSpan.FromHours(1) };
        var messenger = new DirectMessenger(Home, []);
        var table = store ?? (IConditionalStore)new InMemoryConditionalStore();
        await using var silo = new ScaleSilo("home/1", messenger, table, alone, gone, options);

        var before = GC.GetTotalMemory(forceFullCollection: true);
        await TimeAsync($"first access to {rows:N0} grains", rows, () => silo.AcquireAsync(keys, Parallelism));
        var per = (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)rows;
        Tell($"memory: {per:N0} bytes a grain, its row and what the silo that has it keeps");

        await ReadsBesideAsync("no scan", silo, keys, () => Task.Delay(TimeSpan.FromSeconds(10), cancellationToken), 0);
        await ReadsBesideAsync("a scan of all rows at the default pace", silo, keys, () => ScanAsync(silo), rows);
        await using (var fast = new ScaleSilo("home/2", messenger, table, alone, gone, options with { ScanRowsPerSecond = 100_000_000 }))
        {
            await ReadsBesideAsync("a scan of all rows as fast as it goes", silo, keys, () => ScanAsync(fast), rows);
        }

        await TellHintsAsync(options, cancellationToken);
        await LoseAsync("taken over within the cluster without a round", survivorsLife: 1, table, options);
        await LoseAsync($"by rounds with a cluster {roundTrip.TotalMilliseconds:0} ms away", survivorsLife: 2, table, options);
    }

    private static GrainKey[] Keys(string type, int count) =>
        [.. Enumerable.Range(0, count).Select(i => new GrainKey(type, $"customer-{i.ToString("00000000", CultureInfo.InvariantCulture)}"))];

    private static async Task ScanAsync(ScaleSilo silo) => await silo.Directory.ResolveDoubtfulAsync();

    /// <summary>The rows alone, without a directory, and what it takes to list them.</summary>
    private async Task TellStoreAsync(GrainKey[] keys, CancellationToken cancellationToken)
    {
        if (file is not null)
        {
            return;
        }

        var before = GC.GetTotalMemory(forceFullCollection: true);
        var store = new InMemoryConditionalStore();
        var row = new byte[RowBytes];
        foreach (var key in keys)
        {
            await store.WriteAsync($"{GlobalDirectory.RowPrefix}{key}", row, null, cancellationToken);
        }

        Tell($"memory: {(GC.GetTotalMemory(forceFullCollection: true) - before) / (double)rows:N0} bytes a row of the store alone");
        GC.KeepAlive(store);
    }

    private async Task TellHintsAsync(GlobalDirectoryOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var (home, away) = TwoClusters();
        var both = new MultiClusterConfiguration(1, [Home, Away]);
        await using var owner = new ScaleSilo("home/1", home, new InMemoryConditionalStore(), both, [], options);
        await using var caller = new ScaleSilo("away/1", away, new InMemoryConditionalStore(), both, [], options);
        var keys = Keys("profile", options.MaxHints);
        await owner.AcquireAsync(keys, Parallelism);
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await caller.AcquireAsync(keys, Parallelism);
        var taken = GC.GetTotalMemory(forceFullCollection: true) - before;
        Tell($"memory: {taken / (double)keys.Length:N0} bytes a hint, {keys.Length:N0} of them");
    }

    /// <param name="how">In words.</param>
    /// <param name="survivorsLife">The life of the cluster that the surviving silo goes by; the lost one went by 1.</param>
    /// <param name="store">The rows of the cluster, in which those of the lost silo are some of many.</param>
    /// <param name="options">The directories'.</param>
    private async Task LoseAsync(string how, long survivorsLife, IConditionalStore store, GlobalDirectoryOptions options)
    {
        var (home, away) = TwoClusters();
        var configuration = new MultiClusterConfiguration(1, [Home, Away]);
        var gone = new HashSet<string>();
        var keys = Keys($"cart-{survivorsLife}", lost);
        await using var other = new ScaleSilo("away/1", away, new InMemoryConditionalStore(), configuration, [], options);
        await using (var dying = new ScaleSilo("home/2", home, store, configuration, gone, options))
        {
            await dying.AcquireAsync(keys, Parallelism);
        }

        lock (gone)
        {
            gone.Add("home/2");
        }

        await using var survivor = new ScaleSilo("home/1", home, store, configuration, gone, options, survivorsLife);
        home.RoundTrip = away.RoundTrip = roundTrip;
        await TimeAsync($"{lost:N0} grains of a lost silo have an owner again, {how}, {Parallelism} calls at a time", lost,
            () => survivor.AcquireAsync(keys, Parallelism));
    }

    private static (DirectMessenger Home, DirectMessenger Away) TwoClusters()
    {
        var clusters = new Dictionary<ClusterId, DirectMessenger>();
        clusters[Home] = new DirectMessenger(Home, clusters);
        clusters[Away] = new DirectMessenger(Away, clusters);
        return (clusters[Home], clusters[Away]);
    }

    private async Task ReadsBesideAsync(string what, ScaleSilo silo, GrainKey[] keys, Func<Task> work, int scanned)
    {
        GC.Collect();
        using var reads = new ReadStalls(silo, keys);
        var process = Process.GetCurrentProcess();
        var (begun, busy) = (Stopwatch.GetTimestamp(), process.TotalProcessorTime);
        await work();
        var took = Stopwatch.GetElapsedTime(begun);
        process.Refresh();
        var cpu = process.TotalProcessorTime - busy;
        var (count, median, slow, longest) = reads.End();
        var scan = scanned == 0 ? "" : $", {scanned / took.TotalSeconds:N0} rows/s, {cpu.TotalMicroseconds / scanned:0.00} us CPU a row";
        FormattableString told = $"{count:N0} reads: median {median:0.000} ms, 99.9 % {slow:0.000} ms, longest {longest:0.0} ms";
        Tell($"beside {what}: {took.TotalSeconds:0.0} s, {cpu / took:P0} of a core{scan}; {told}");
    }

    private async Task TimeAsync(string what, int count, Func<Task<int>> work)
    {
        var begun = Stopwatch.GetTimestamp();
        var here = await work();
        var took = Stopwatch.GetElapsedTime(begun);
        if (here != count)
        {
            throw new InvalidOperationException($"Only {here} of {count} grains are here.");
        }

        Tell($"{what}: {took.TotalSeconds:0.0} s, {count / took.TotalSeconds:N0}/s");
    }

    private void Tell(FormattableString line)
    {
        output.WriteLine(line.ToString(CultureInfo.InvariantCulture));
        output.Flush();
    }
}
