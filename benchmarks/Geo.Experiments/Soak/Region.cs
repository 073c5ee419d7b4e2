using System.Collections.Concurrent;
using System.Diagnostics;
using Geo.Experiments.Soak.Memory;
using Geo.Processes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Soak;

/// <summary>A region: its process, which can be killed, started again and frozen, and a client of its own.</summary>
internal sealed class Region : IAsyncDisposable
{
    /// <summary>Half an hour of faults writes 20,000 lines.</summary>
    private const int MaxLogLines = 200_000;

    private static readonly TimeSpan MemoryPatience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxReconnectDelay = TimeSpan.FromMilliseconds(500);

    private readonly RegionSettings _settings;
    private readonly ChildLog _log;
    private readonly Starts _starts;
    private readonly IHost _client;
    private readonly ConcurrentQueue<string> _failures = [];
    private ChildProcess? _process;
    private ChildProcess? _serving;
    private long _started;
    private int _lives;
    private volatile bool _isFrozen;

    private Region(RegionSettings settings, ChildLog log, Starts starts, int roomForSamples)
    {
        (_settings, _log, _starts) = (settings, log, starts);
        Memory = new(roomForSamples);
        _client = Client(settings.GatewayPort);
    }

    public string Name => _settings.Cluster;

    /// <summary>What its processes used, since the beginning.</summary>
    public List<MemorySample> Memory { get; }

    /// <summary>The region as its customers see it.</summary>
    public IGrainFactory Grains => _client.Services.GetRequiredService<IGrainFactory>();

    /// <summary>The end of what its processes wrote.</summary>
    public IReadOnlyList<string> LastWords => _log.LastLines;

    /// <summary>True from the time that a start has succeeded until its process is killed or fails, frozen or not.</summary>
    public bool IsServing => _serving is { Failed.IsCompleted: false };

    public static async Task<Region> StartAsync(
        RegionSettings settings, string logFolder, Starts starts, int roomForSamples, CancellationToken cancellationToken)
    {
        var log = new ChildLog(Path.Combine(logFolder, $"{settings.Cluster}.log"), MaxLogLines);
        var region = new Region(settings, log, starts, roomForSamples);
        try
        {
            await region.StartAgainAsync(cancellationToken);
            await region._client.StartAsync(cancellationToken);
            return region;
        }
        catch
        {
            await region.DisposeAsync();
            throw;
        }
    }

    /// <summary>Why a process ended by itself, or failed, that had served; each is told once.</summary>
    public string? TakeFailure() => _failures.TryDequeue(out var reason) ? reason : null;

    /// <returns>False where there was nothing to kill.</returns>
    public async Task<bool> KillAsync()
    {
        if (_process is not { HasExited: false } process)
        {
            return false;
        }

        // From here on it ends because it is told to.
        _serving = null;
        await process.KillAsync();
        return true;
    }

    /// <summary>Starts the region again where it was, with an empty memory; what is left of the process before is killed.</summary>
    /// <exception cref="ChildFailedException">No start succeeded in time.</exception>
    public Task StartAgainAsync(CancellationToken cancellationToken) => _starts.StartAsync(Name, StartOnceAsync, cancellationToken);

    /// <returns>False where there was nothing to freeze.</returns>
    public async Task<bool> FreezeAsync()
    {
        _isFrozen = true;
        return await SignalAsync("STOP");
    }

    public async Task WakeAsync()
    {
        await SignalAsync("CONT");
        _isFrozen = false;
    }

    /// <summary>Takes a sample, unless a fault is in the way.</summary>
    public async Task SampleAsync(CancellationToken cancellationToken)
    {
        var (process, life, age) = (_serving, _lives, Stopwatch.GetElapsedTime(_started));
        if (process is null || _isFrozen)
        {
            return;
        }

        try
        {
            var use = await process.AskAsync<string, MemoryUse>("memory", MemoryPatience, cancellationToken);
            Memory.Add(new MemorySample(life, age, use));
        }
        catch (Exception error) when (error is ChildFailedException or ObjectDisposedException)
        {
            // Killed, frozen or replaced meanwhile; what ended by itself is told by its failure.
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _client.StopAsync();
        _client.Dispose();
        if (_process is { } process)
        {
            if (_isFrozen)
            {
                await process.KillAsync();
            }

            await process.StopAsync();
            await process.DisposeAsync();
        }

        _log.Dispose();
    }

    private static IHost Client(int gateway)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.UseGeoEmbeddedClient(client => client.Configure(options =>
        {
            options.Gateways.Add($"127.0.0.1:{gateway}");
            options.RequestTimeout = RegionRole.Timeout;
            options.MaxReconnectDelay = MaxReconnectDelay;
        }));
        return builder.Build();
    }

    private async Task StartOnceAsync(CancellationToken cancellationToken)
    {
        if (_serving is { HasExited: true } failed)
        {
            // Nobody killed it: it says why it ended, before it is forgotten.
            await failed.Failed.WaitAsync(cancellationToken);
        }

        _serving = null;
        if (Interlocked.Exchange(ref _process, null) is { } before)
        {
            await before.DisposeAsync();
        }

        _lives++;
        _started = Stopwatch.GetTimestamp();
        _log.Add($"soak: start {_lives} of {Name}");
        var process = ChildProcess.Start(Name, ProgramStart.Of(typeof(Region).Assembly, RegionRole.Name), _settings, _log);
        try
        {
            await process.ReadyAsync<string>(cancellationToken);
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }

        (_isFrozen, _process, _serving) = (false, process, process);
        _ = KeepFailureAsync(process);
    }

    private async Task KeepFailureAsync(ChildProcess process) => _failures.Enqueue(await process.Failed);

    private async Task<bool> SignalAsync(string signal)
    {
        if (_process is not { HasExited: false } process)
        {
            return false;
        }

        try
        {
            await process.SignalAsync(signal);
            return true;
        }
        catch (ChildFailedException) when (process.HasExited)
        {
            // It ended by itself just now, which is told by its failure.
            return false;
        }
    }
}
