using System.Diagnostics;
using System.Globalization;
using Geo.Processes;
using Spectre.Console;
using TpcwMini.Audit;
using TpcwMini.Clusters;
using TpcwMini.Grains;
using TpcwMini.Options;
using TpcwMini.Report;
using TpcwMini.Robots;

namespace TpcwMini;

/// <summary>
/// One run from beginning to end: start the processes, stock the shop, let the robots loose, and check the books when all is quiet.
/// The robots run in this process, which holds no grain: one process for all regions is the cheapest on few processors, and each
/// region's robots still have a client and a gateway of their own.
/// </summary>
internal sealed class MainJob(RunOptions options, IAnsiConsole console)
{
    private const int StockingParallelism = 128;
    private const int AuditParallelism = 256;
    private readonly TimeProvider _time = TimeProvider.System;

    public async Task<RunResult> RunAsync(CancellationToken cancellationToken)
    {
        Announce();
        await using var deployment = await Deployment.StartAsync(options, cancellationToken);
        await StockAsync(deployment, cancellationToken);

        var clock = new RunClock(_time, options);
        var watch = new RegionWatch(
            clock,
            options.Cuts.Count > 0 ? Defaults.CutWindow
                : options.Host == HostKind.Orleans ? Defaults.OrleansKillWindow
                : Defaults.KillWindow,
            stopsOthers: options.Mode == SingleInstanceMode.Pessimistic);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var crowds = Crowds(deployment, clock, watch);
        var runId = Random.Shared.Next(0x10000).ToString("x4", CultureInfo.InvariantCulture);
        crowds.Take(options.Clusters.Count).ToList().ForEach(crowd => crowd.Start(runId, stop.Token));
        var records = crowds.ConvertAll(crowd => crowd.Record);
        var progress = new LiveProgress(console, clock, records, watch).RunAsync(stop.Token);
        var events = new RegionEvents(
            options, deployment, clock, watch,
            joined: cluster => crowds.Find(crowd => crowd.Record.Cluster == cluster)!.Start(runId, stop.Token));
        var loads = MeasureAsync(deployment, clock, events, stop.Token);
        if (await Task.WhenAny(Task.WhenAll(progress, loads), deployment.Failed) == deployment.Failed)
        {
            await stop.CancelAsync();
            throw new ChildFailedException(await deployment.Failed);
        }

        await progress;
        var (moments, cpu, account) = await loads;
        await stop.CancelAsync();
        console.WriteLine("robots finish their last steps, then the books are checked");
        await Task.WhenAll(crowds.Select(crowd => crowd.QuiesceAsync()));
        cancellationToken.ThrowIfCancellationRequested();
        var ledgers = await ReadBooksAsync(deployment, cancellationToken);
        var findings = Auditor.Compare(ledgers, [.. records.SelectMany(record => record.ConfirmedOrders())]);
        return Result(records, findings, moments, cpu, account);
    }

    private void Announce()
    {
        var time = Text($"{options.Seconds} s after {options.Warmup} s of warm-up, round trip {options.RttMs} ms");
        console.WriteLine(Text($"{options.Variant}: {options.Robots:#,0} robots in {string.Join(", ", options.Clusters)}, {time}"));
        if (options.Host == HostKind.Orleans)
        {
            console.WriteLine(Text($"hosted by Orleans clusters of {options.Silos} silos each"));
        }

        var account = options.Variant.State == ItemDurability.Persistent
            ? Text($"; storage account ({Variant.Word(options.Store)}) serves {options.StoreOps:#,0} operations/s, ")
                + Text($"{options.StoreNearMs} ms from {options.Clusters[0]}, {options.StoreFarMs} ms from the others")
            : "; no storage";
        console.WriteLine(Text($"{options.Items:#,0} items with {options.StockOfEachItem():#,0} in stock each{account}"));
        if (options.Kill is { Silo: null } plan)
        {
            var again = plan.Back is { } back ? Text($" and started again at second {back}") : "";
            console.WriteLine(Text($"{plan.Cluster} is killed at second {plan.Second}{again}"));
        }

        foreach (var cut in options.Cuts)
        {
            console.WriteLine(Text($"{cut.Cluster} is cut off from second {cut.From} to second {cut.To}"));
        }

        if (options.Add is { } add)
        {
            console.WriteLine(Text($"{add.Cluster} is taken in at second {add.Second}"));
        }

        if (options.Drain is { } drain)
        {
            var other = options.OtherThan(drain.Cluster);
            console.WriteLine(Text($"{drain.Cluster} is drained at second {drain.Second}; its customers go on through {other}"));
        }

        if (options is { Kill: not null, Variant.State: ItemDurability.Volatile })
        {
            console.WriteLine("note: volatile state dies with the cluster that holds it; orders confirmed there will be reported as lost");
        }
        else if (options is { Cuts.Count: > 0, Variant: { State: ItemDurability.Volatile, Instancing: ItemInstancing.Single } })
        {
            console.WriteLine("note: volatile state ends with its instance, and a cut may end one; its orders will be reported as lost");
        }
    }

    private async Task StockAsync(Deployment deployment, CancellationToken cancellationToken)
    {
        var quantity = options.StockOfEachItem();
        await Task.WhenAll(options.Clusters.Select((cluster, region) => Parallel.ForAsync(
            0,
            options.Items,
            new ParallelOptions { MaxDegreeOfParallelism = StockingParallelism, CancellationToken = cancellationToken },
            async (number, _) =>
            {
                // Every region puts its share on sale, so that single instances are spread evenly over the clusters.
                if (number % options.Clusters.Count == region)
                {
                    var item = deployment.ClientOf(cluster).GetGrain<IItem>(Robot.ItemName(number));
                    await item.Stock(quantity, 1 + (number % 100));
                }
            })));
    }

    private List<RobotCrowd> Crowds(Deployment deployment, RunClock clock, RegionWatch watch) =>
    [
        .. options.AllClusters.Select(cluster => new RobotCrowd(
            new RegionRecord(cluster, clock), customer => deployment.Open(cluster, customer), options, clock, watch)),
    ];

    private async Task<(IReadOnlyList<RunMoment> Moments, IReadOnlyList<ProcessLoad> Cpu, StoreLoad? Account)> MeasureAsync(
        Deployment deployment, RunClock clock, RegionEvents events, CancellationToken cancellationToken)
    {
        await clock.UntilAsync(clock.Warmup, cancellationToken);
        using var self = Process.GetCurrentProcess();
        var meter = new CpuMeter(_time, [.. deployment.Processes, ("robots", () => self.TotalProcessorTime)]);
        var before = await deployment.AccountOperationsAsync(cancellationToken);
        var from = clock.Now;
        var moments = await events.RunAsync(cancellationToken);
        await clock.UntilAsync(clock.Whole, cancellationToken);
        var after = await deployment.AccountOperationsAsync(cancellationToken);
        self.Refresh();
        var perSecond = (after - before) / (clock.Now - from).TotalSeconds;
        return (moments, meter.Read(), perSecond is { } rate
            ? new StoreLoad(Math.Round(rate, 1), options.StoreOps, Math.Round(100 * rate / options.StoreOps, 1))
            : null);
    }

    private async Task<IReadOnlyCollection<ItemLedger>> ReadBooksAsync(Deployment deployment, CancellationToken cancellationToken)
    {
        if (options.Variant.State == ItemDurability.Volatile)
        {
            var survivor = deployment.ClientOf(options.Clusters.First(cluster => cluster != options.Kill?.Cluster));
            return await Auditor.ReadBooksAsync(
                options.Items, name => survivor.GetGrain<IItem>(name), AuditParallelism, cancellationToken);
        }

        // Stopped first, so that nothing is left but what is stored; then read by a silo that has never seen the run.
        await deployment.StopClustersAsync();
        await using var inspector = await Inspector.StartAsync(options, deployment.Account!, cancellationToken);
        return await Auditor.ReadBooksAsync(
            options.Items, name => inspector.Grains.GetGrain<IItem>(name), AuditParallelism, cancellationToken);
    }

    private RunResult Result(
        List<RegionRecord> records, AuditFindings findings, IReadOnlyList<RunMoment> moments, IReadOnlyList<ProcessLoad> cpu,
        StoreLoad? account)
    {
        var inTime = records.Sum(record => record.StepsInTime);
        return new RunResult
        {
            Host = Variant.Word(options.Host),
            Silos = options.Silos,
            Clusters = options.AllClusters,
            Api = Variant.Word(options.Variant.Api),
            State = Variant.Word(options.Variant.State),
            Instancing = Variant.Word(options.Variant.Instancing),
            Reads = Variant.Word(options.Variant.Reads),
            Robots = options.Robots,
            Seconds = options.Seconds,
            Warmup = options.Warmup,
            RttMs = options.RttMs,
            Items = options.Items,
            StockOfEachItem = options.StockOfEachItem(),
            Store = Variant.Word(options.Store),
            StoreNearMs = options.StoreNearMs,
            StoreFarMs = options.StoreFarMs,
            StoreOps = options.StoreOps,
            Mode = Variant.Word(options.Mode),
            Kill = options.Kill?.ToString(),
            Cut = options.Cuts.Count > 0 ? string.Join(",", options.Cuts) : null,
            Add = options.Add?.ToString(),
            Drain = options.Drain?.ToString(),
            Moments = moments,
            StepsCompleted = records.Sum(record => record.StepsCompleted),
            StepsInTime = inTime,
            StepsPerSecond = Math.Round((double)inTime / options.Seconds, 1),
            WorkflowsCompleted = records.Sum(record => record.WorkflowsCompleted),
            WorkflowsAborted = records.Sum(record => record.WorkflowsAborted),
            OversoldItems = findings.OversoldItems,
            LostOrders = findings.LostOrders,
            DuplicateOrders = findings.DuplicateOrders,
            ConfirmedOrders = findings.ConfirmedOrders,
            SoldOutItems = findings.SoldOutItems,
            LatencyMs = Enum.GetValues<StepKind>().ToDictionary(Variant.Word, step => StepLatency.Of(LatenciesOf(records, step))),
            Errors = records.Sum(record => record.Errors),
            Interrupted = records.Sum(record => record.Interrupted),
            ErrorSamples = [.. records.SelectMany(record => record.ErrorSamples())],
            Violations = findings.Violations,
            StepsInTimePerSecond = records.ToDictionary(record => record.Cluster, record => record.InTimePerSecond),
            FailedPerSecond = records.ToDictionary(record => record.Cluster, record => record.FailedPerSecond),
            CallsPerSecond = records.ToDictionary(record => record.Cluster, record => record.CallsPerSecond),
            Command = options.Command,
            Version = ProgramVersion.Text,
            Date = _time.GetLocalNow(),
            Cpu = cpu,
            StorageAccount = account,
            Saturated = Saturation.Of(account, cpu, Environment.ProcessorCount),
        };
    }

    private static LatencyHistogram LatenciesOf(List<RegionRecord> records, StepKind step)
    {
        var all = new LatencyHistogram();
        records.ForEach(record => all.Add(record.Latencies(step)));
        return all;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
