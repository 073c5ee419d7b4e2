using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;
using Geo.Experiments.Soak.Stores;
using Geo.Processes;
using Geo.Testing.Wan;

namespace Geo.Experiments.Soak;

/// <summary>
/// Two regions as processes, a store, and customers who order while faults come; then the books are read from the store by regions that
/// have seen nothing, and compared with what the customers were told.
/// </summary>
internal sealed class SoakRun : IAsyncDisposable
{
    private const string Customers = "customers";
    private static readonly TimeSpan OneWayDelay = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan SampleEvery = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan ProgressEvery = TimeSpan.FromSeconds(30);

    /// <summary>After the last fault each order must be decided within this time.</summary>
    private static readonly TimeSpan DecisionPatience = TimeSpan.FromMinutes(2);

    private readonly SoakOptions _options;
    private readonly TextWriter _output;
    private readonly SoakTally _tally = new();
    private readonly List<Region> _regions = [];
    private readonly List<MemorySample> _ownMemory = [];
    private readonly ConcurrentDictionary<string, SemaphoreSlim> _targets = [];
    private readonly TimeProvider _time = TimeProvider.System;
    private long _began;
    private ISoakStore? _store;
    private DelayedLink? _link;

    private SoakRun(SoakOptions options, TextWriter output) => (_options, _output) = (options, output);

    public static async Task<SoakReport> RunAsync(SoakOptions options, TextWriter output, CancellationToken cancellationToken)
    {
        await using var run = new SoakRun(options, output);
        await run.StartAsync(cancellationToken);
        run._began = run._time.GetTimestamp();
        return await run.RunAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var region in _regions)
        {
            await region.DisposeAsync();
        }

        if (_link is not null)
        {
            await _link.DisposeAsync();
        }

        if (_store is not null)
        {
            await _store.DisposeAsync();
        }
    }

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        _store = _options.Store == SoakStoreKind.Postgres
            ? await PostgresSoakStore.StartAsync()
            : await SqliteSoakStore.StartAsync(cancellationToken);
        var ports = FreePorts.Take(4);
        var dialled = new RegionSettings("us", new Dictionary<string, string[]> { ["eu"] = [] }, _store.Address, ports[0], ports[1]);
        _regions.Add(await Region.StartAsync(dialled, _options.LogFolder, cancellationToken));
        _link = DelayedLink.Start(new DelayedLinkOptions
        {
            Target = new IPEndPoint(IPAddress.Loopback, ports[0]),
            OneWayDelay = OneWayDelay,
        });
        var dialling = new RegionSettings(
            "eu", new Dictionary<string, string[]> { ["us"] = [_link.ListeningOn.ToString()] }, _store.Address, ports[2], ports[3]);
        _regions.Add(await Region.StartAsync(dialling, _options.LogFolder, cancellationToken));
    }

    private async Task<SoakReport> RunAsync(CancellationToken cancellationToken)
    {
        var plan = FaultPlan.Of(_options.Seed, _options.Length, _regions.Count);
        var customers = Enumerable.Range(0, _options.Customers).Select(number => new Customer(
            string.Create(CultureInfo.InvariantCulture, $"customer-{number}"), _regions[number % _regions.Count].Grains,
            new Random(_options.Seed + number), _tally)).ToArray();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var ordering = Array.ConvertAll(customers, customer => Task.Run(() => customer.RunAsync(stop.Token, giveUp.Token), giveUp.Token));
        var watching = WatchAsync(stop.Token);
        var faults = Array.ConvertAll([.. plan], fault => BringAsync(fault, stop.Token));
        try
        {
            await Task.WhenAll([.. faults, Task.Delay(_options.Length - Elapsed(), cancellationToken)]);
            await stop.CancelAsync();
            giveUp.CancelAfter(DecisionPatience);
            await Task.WhenAll([.. ordering, watching]);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            _tally.Violated($"{customers.Count(customer => customer.Waiting > DecisionPatience)} orders were not decided within "
                + $"{DecisionPatience.TotalMinutes:0} minutes after the last fault");
        }
        finally
        {
            await stop.CancelAsync();
            await giveUp.CancelAsync();
        }

        await CheckBooksAsync(customers, cancellationToken);
        var memory = _regions.ToDictionary(region => region.Name, region => MemoryTrend.Of(region.Memory));
        memory.Add(Customers, MemoryTrend.Of(_ownMemory));
        return new SoakReport(_options, plan, _tally, memory);
    }

    private async Task BringAsync(Fault fault, CancellationToken cancellationToken)
    {
        await UntilAsync(fault.At, cancellationToken);

        // On a busy machine a process may take longer to start than the plan has room for.
        var target = _targets.GetOrAdd(fault.Target, _ => new SemaphoreSlim(1));
        await target.WaitAsync(cancellationToken);
        try
        {
            await _output.WriteLineAsync($"  {fault}");
            await BeginAsync(fault);
            await Task.Delay(fault.For, cancellationToken);
            await EndAsync(fault, cancellationToken);
        }
        finally
        {
            target.Release();
        }
    }

    private async Task BeginAsync(Fault fault)
    {
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                await _regions[fault.Region].KillAsync();
                break;
            case FaultKind.Freeze:
                await _regions[fault.Region].FreezeAsync();
                break;
            case FaultKind.StoreRestart:
                await _store!.KillAsync();
                break;
            default:
                _link!.Cut(fault.Kind == FaultKind.Cut ? CutMode.Drop : CutMode.BlackHole);
                break;
        }
    }

    private async Task EndAsync(Fault fault, CancellationToken cancellationToken)
    {
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                await _regions[fault.Region].StartAgainAsync(cancellationToken);
                break;
            case FaultKind.Freeze:
                await _regions[fault.Region].WakeAsync();
                break;
            case FaultKind.StoreRestart:
                await _store!.StartAgainAsync(cancellationToken);
                break;
            default:
                _link!.Heal();
                break;
        }
    }

    private async Task WatchAsync(CancellationToken cancellationToken)
    {
        var told = TimeSpan.Zero;
        while (!cancellationToken.IsCancellationRequested)
        {
            await Task.Delay(SampleEvery, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _ownMemory.Add(new MemorySample(0, Elapsed(), GC.GetTotalMemory(forceFullCollection: true)));
            foreach (var region in _regions)
            {
                await region.SampleAsync(CancellationToken.None);
                if (region.Failed.IsCompleted)
                {
                    _tally.Violated(await region.Failed);
                }
            }

            if (Elapsed() - told >= ProgressEvery)
            {
                told = Elapsed();
                await _output.WriteLineAsync(string.Create(
                    CultureInfo.InvariantCulture,
                    $"  {told.TotalMinutes:0.0} min: {_tally.Confirmed:N0} orders confirmed, {_tally.ViolationCount} violations"));
            }
        }
    }

    /// <summary>What is left of the regions is what is stored: they are killed and started again, and each reads all books.</summary>
    private async Task CheckBooksAsync(Customer[] customers, CancellationToken cancellationToken)
    {
        await Task.WhenAll(_regions.Select(region => region.KillAsync()));
        await Task.WhenAll(_regions.Select(region => region.StartAgainAsync(cancellationToken)));
        foreach (var region in _regions)
        {
            for (var article = 0; article < Articles.Count; article++)
            {
                var books = await ReadAsync(region, article, cancellationToken);
                var told = customers.ToDictionary(customer => customer.Name, customer => customer.Told(article));
                foreach (var violation in Books.Check($"{region.Name}: article {article}", books, told))
                {
                    _tally.Violated(violation);
                }
            }
        }
    }

    private async Task<StockState> ReadAsync(Region region, int article, CancellationToken cancellationToken)
    {
        var began = _time.GetTimestamp();
        while (true)
        {
            try
            {
                return await Articles.Of(region.Grains, article).Read();
            }
            catch (GeoException error)
            {
                if (_time.GetElapsedTime(began) > DecisionPatience)
                {
                    throw new ChildFailedException($"{region.Name} cannot read article {article}: {error.Message}");
                }

                await Task.Delay(TimeSpan.FromMilliseconds(100), cancellationToken);
            }
        }
    }

    private TimeSpan Elapsed() => _time.GetElapsedTime(_began);

    private async Task UntilAsync(TimeSpan at, CancellationToken cancellationToken)
    {
        if (at - Elapsed() is var wait && wait > TimeSpan.Zero)
        {
            await Task.Delay(wait, cancellationToken);
        }
    }
}
