using System.Globalization;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;
using Geo.Processes;

namespace Geo.Experiments.Soak;

/// <summary>
/// Two regions as processes, a store, and customers who order while faults come; then the books are compared with what the customers were
/// told, as the living regions read them, and once more as regions read them that have seen nothing. Whatever ends a run early, the books
/// are compared and the report is written.
/// </summary>
internal sealed class SoakRun : IAsyncDisposable
{
    private const string CustomersProcess = "customers";

    /// <summary>How long a run that is stopped early waits for the orders that are under way.</summary>
    private static readonly TimeSpan DecidedWithinWhenStopped = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ProgressEvery = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(500);

    private readonly TimeProvider _time = TimeProvider.System;
    private readonly Turns _turns = new();
    private readonly List<MemorySample> _ownMemory;
    private readonly SoakOptions _options;
    private readonly TextWriter _output;
    private readonly SoakTally _tally;
    private readonly Deployment _deployment;
    private SoakClock _clock;
    private FaultBringer? _bringer;
    private Customer[] _customers = [];
    private TimeSpan _ordered;

    private SoakRun(SoakOptions options, TextWriter output)
    {
        (_options, _output) = (options, TextWriter.Synchronized(output));
        _ownMemory = new(options.RoomForSamples);
        _clock = new SoakClock(_time);
        _tally = new SoakTally(Say);
        _deployment = new Deployment(options, new Starts(options.StartWithin, _time, StartFailed));
    }

    /// <summary>Runs, compares and writes the report; whatever goes wrong is in it.</summary>
    /// <param name="options">What is asked for.</param>
    /// <param name="output">Where it tells what happens, and the report.</param>
    /// <param name="cancellationToken">Ends the run early: what was ordered until then is compared.</param>
    public static async Task<SoakReport> RunAsync(SoakOptions options, TextWriter output, CancellationToken cancellationToken)
    {
        await using var run = new SoakRun(options, output);
        await run.GuardAsync("the run", run.OrderAsync(cancellationToken), cancellationToken);
        await run.GuardAsync("the comparison of the books", run.CompareAsync(), CancellationToken.None);
        foreach (var reason in run._deployment.Regions.Select(region => region.TakeFailure()).OfType<string>())
        {
            run._tally.Violated(reason);
        }

        var report = run.Report();
        foreach (var line in report.Lines())
        {
            await run._output.WriteLineAsync(line);
        }

        return report;
    }

    public async ValueTask DisposeAsync() =>
        await GuardAsync("the end of the processes", _deployment.DisposeAsync().AsTask(), CancellationToken.None);

    private async Task OrderAsync(CancellationToken cancellationToken)
    {
        await _deployment.StartAsync(cancellationToken);
        _clock = new SoakClock(_time);
        _bringer = new FaultBringer(
            _turns, _deployment.BeginAsync, _deployment.EndAsync, _clock, text => _output.WriteLine($"  {text}"));
        _customers = [.. Enumerable.Range(0, _options.Customers).Select(NewCustomer)];
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var giveUp = new CancellationTokenSource();
        using var end = new CancellationTokenSource();
        var ordering = Array.ConvertAll(
            _customers, customer => GuardAsync(customer.Name, Task.Run(() => customer.RunAsync(stop.Token, giveUp.Token)), stop.Token));
        var faults = FaultPlan.Of(_options.Seed, _options.Length, _deployment.Regions.Count)
            .Select(fault => GuardAsync($"{fault}", _bringer.BringAsync(fault, stop.Token), stop.Token)).ToArray();
        Task[] watching =
        [
            .. Enumerable.Range(0, _deployment.Regions.Count).Select(region =>
                GuardAsync("watching a region", SuperviseAsync(region, end.Token), end.Token)),
            GuardAsync("watching the store", SuperviseStoreAsync(end.Token), end.Token),
            GuardAsync("sampling", SampleAsync(end.Token), end.Token),
            GuardAsync("auditing", NewAuditor().RunAsync(end.Token), end.Token),
        ];

        await _clock.UntilAsync(_options.Length, stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _ordered = _clock.Elapsed;
        await stop.CancelAsync();
        await Task.WhenAll(faults);
        giveUp.CancelAfter(cancellationToken.IsCancellationRequested ? DecidedWithinWhenStopped : SoakOptions.DecidedWithin);
        await Task.WhenAll(ordering);
        await end.CancelAsync();
        await Task.WhenAll(watching);
        if (_customers.Count(customer => customer.IsWaiting) is var open and not 0 && !cancellationToken.IsCancellationRequested)
        {
            _tally.Violated(
                $"{open} orders were not decided within {SoakOptions.DecidedWithin.TotalMinutes:0} minutes after the last fault");
        }
    }

    /// <summary>Compares as the regions are, and as they are after all of them were killed: then they know what is stored.</summary>
    private async Task CompareAsync()
    {
        if (_customers.Length == 0)
        {
            return;
        }

        await CompareAsync("after the last order");
        await Task.WhenAll(_deployment.Regions.Select(region => region.KillAsync()));
        await Task.WhenAll(_deployment.Regions.Select(region =>
            GuardAsync(region.Name, region.StartAgainAsync(CancellationToken.None), CancellationToken.None)));
        await CompareAsync("started again");
    }

    private async Task CompareAsync(string when)
    {
        var auditor = NewAuditor();
        for (var region = 0; region < _deployment.Regions.Count; region++)
        {
            using var end = new CancellationTokenSource(SoakOptions.ReadWithin);
            await auditor.CheckAllAsync(region, when, end.Token);
        }
    }

    /// <summary>Starts a region again that ended by itself, and tells of it once.</summary>
    private async Task SuperviseAsync(int index, CancellationToken end)
    {
        var region = _deployment.Regions[index];
        while (!end.IsCancellationRequested)
        {
            await Task.Delay(LookEvery, _time, end).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (region.TakeFailure() is { } reason)
            {
                Violated(reason, region.LastWords);
            }

            if (!region.IsServing && !end.IsCancellationRequested)
            {
                // A region that a fault has killed is the fault's: its turn lasts until the region serves.
                await _turns.TakeAsync(
                    Fault.TargetOf(index),
                    () => region.IsServing
                        ? Task.CompletedTask
                        : GuardAsync(region.Name, region.StartAgainAsync(CancellationToken.None), CancellationToken.None),
                    end);
            }
        }
    }

    private async Task SuperviseStoreAsync(CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            await Task.Delay(LookEvery, _time, end).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_deployment.TakeStoreFailure() is { } reason)
            {
                _tally.Violated(reason);
                await _turns.TakeAsync(Fault.Store, _deployment.StartStoreAgainAsync, end);
            }
        }
    }

    private async Task SampleAsync(CancellationToken end)
    {
        var told = TimeSpan.Zero;
        while (!end.IsCancellationRequested)
        {
            await Task.Delay(SoakOptions.SampleEvery, _time, end).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _ownMemory.Add(new MemorySample(0, _clock.Elapsed, MemoryUse.OfThisProcess()));
            foreach (var region in _deployment.Regions)
            {
                await region.SampleAsync(CancellationToken.None);
            }

            if (_clock.Elapsed - told >= ProgressEvery)
            {
                told = _clock.Elapsed;
                await _output.WriteLineAsync(string.Create(
                    CultureInfo.InvariantCulture,
                    $"  {told.TotalMinutes:0.0} min: {_tally.Confirmed:N0} orders confirmed, {_tally.ViolationCount} violations"));
            }
        }
    }

    private Customer NewCustomer(int number)
    {
        // Two seeds have no customer in common.
        const int Prime = 1_000_003;
        var region = _deployment.Regions[number % _deployment.Regions.Count];
        return new Customer(
            string.Create(CultureInfo.InvariantCulture, $"customer-{number}"), article => Articles.Of(region.Grains, article),
            new Random(unchecked((_options.Seed * Prime) + number)), _tally, _time);
    }

    private Auditor NewAuditor() => new(
        [.. _deployment.Regions.Select(region => (region.Name, (Func<int, IStock>)(article => Articles.Of(region.Grains, article))))],
        _customers, _tally, _time);

    private SoakReport Report() => new(
        _options, _ordered, _bringer?.Brought ?? [], _tally,
        [
            .. _deployment.Regions.Select(region => ProcessMemory.Of(region.Name, region.Memory)),
            ProcessMemory.Of(CustomersProcess, _ownMemory),
        ],
        _deployment.LogFolder, [.. _deployment.LastWords()]);

    /// <summary>Waits for work and turns whatever stops it into one violation; the others go on.</summary>
    private async Task GuardAsync(string what, Task work, CancellationToken end)
    {
        try
        {
            await work;
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // It was stopped.
        }
        catch (ChildFailedException error)
        {
            Violated(error.Message, [.. _deployment.LastWords().SelectMany(process => process.Lines)]);
        }
#pragma warning disable CA1031 // Whatever it is, it is told, the books are compared and the report is written.
        catch (Exception error)
#pragma warning restore CA1031
        {
            _tally.Violated($"{what}: {error}");
        }
    }

    private void Violated(string what, IReadOnlyList<string> words)
    {
        _tally.Violated(what);
        foreach (var word in words)
        {
            _output.WriteLine($"    {word}");
        }
    }

    private void StartFailed(string why)
    {
        _tally.StartFailed(why);
        Say($"a start failed and is tried again: {why}");
    }

    private void Say(string text) => _output.WriteLine(string.Create(
        CultureInfo.InvariantCulture, $"  {_clock.Elapsed.TotalSeconds:0.0} s: {text}"));
}
