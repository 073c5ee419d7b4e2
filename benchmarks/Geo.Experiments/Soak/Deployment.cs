using System.Net;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Stores;
using Geo.Testing.Wan;

namespace Geo.Experiments.Soak;

/// <summary>Two regions as processes, the link between them and the store that they share; and what can happen to them.</summary>
/// <param name="options">What the run is asked for.</param>
/// <param name="starts">How processes are started.</param>
internal sealed class Deployment(SoakOptions options, Starts starts) : IAsyncDisposable
{
    private const string Store = "the store";
    private static readonly TimeSpan OneWayDelay = TimeSpan.FromMilliseconds(10);

    private readonly List<Region> _regions = [];
    private ISoakStore? _store;
    private DelayedLink? _link;

    /// <summary>The regions that have started.</summary>
    public IReadOnlyList<Region> Regions => _regions;

    /// <summary>Where the processes' texts are kept.</summary>
    public string LogFolder { get; } = Path.Combine(options.LogFolder, options.Store.ToString().ToLowerInvariant());

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _store = options.Store == SoakStoreKind.Postgres
            ? await PostgresSoakStore.StartAsync()
            : await SqliteSoakStore.StartAsync(LogFolder, cancellationToken);
        var ports = FreePorts.Take(4);
        var dialled = new RegionSettings("us", new Dictionary<string, string[]> { ["eu"] = [] }, _store.Address, ports[0], ports[1]);
        _regions.Add(await Region.StartAsync(dialled, LogFolder, starts, options.RoomForSamples, cancellationToken));
        _link = DelayedLink.Start(new DelayedLinkOptions
        {
            Target = new IPEndPoint(IPAddress.Loopback, ports[0]),
            OneWayDelay = OneWayDelay,
        });
        var dialling = new RegionSettings(
            "eu", new Dictionary<string, string[]> { ["us"] = [_link.ListeningOn.ToString()] }, _store.Address, ports[2], ports[3]);
        _regions.Add(await Region.StartAsync(dialling, LogFolder, starts, options.RoomForSamples, cancellationToken));
    }

    /// <returns>False where there is nothing that it could happen to: the process has ended before.</returns>
    public async Task<bool> BeginAsync(Fault fault)
    {
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                return await _regions[fault.Region].KillAsync();
            case FaultKind.Freeze:
                return await _regions[fault.Region].FreezeAsync();
            case FaultKind.StoreRestart:
                return await _store!.KillAsync();
            default:
                _link!.Cut(fault.Kind == FaultKind.Cut ? CutMode.Drop : CutMode.BlackHole);
                return true;
        }
    }

    /// <summary>Ends the fault; it takes no longer than a start may, whatever happens meanwhile.</summary>
    /// <exception cref="Geo.Processes.ChildFailedException">What was killed could not be started again.</exception>
    public async Task EndAsync(Fault fault)
    {
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                await _regions[fault.Region].StartAgainAsync(CancellationToken.None);
                break;
            case FaultKind.Freeze:
                await _regions[fault.Region].WakeAsync();
                break;
            case FaultKind.StoreRestart:
                await StartStoreAgainAsync();
                break;
            default:
                _link!.Heal();
                break;
        }
    }

    public Task StartStoreAgainAsync() => starts.StartAsync(Store, _store!.StartAgainAsync, CancellationToken.None);

    /// <summary>Why the store ended by itself; each end is told once.</summary>
    public string? TakeStoreFailure() => _store!.TakeFailure();

    /// <summary>The end of what each process wrote.</summary>
    public IEnumerable<(string Process, IReadOnlyList<string> Lines)> LastWords() =>
        [.. _regions.Select(region => (region.Name, region.LastWords)), (Store, _store?.LastWords ?? [])];

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
}
