using System.Diagnostics;
using Geo.Embedded;
using Geo.Experiments.Soak.Memory;
using Geo.Processes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Soak;

/// <summary>A region: its process, which can be killed, started again and frozen, and a client of its own.</summary>
internal sealed class Region : IAsyncDisposable
{
    private static readonly TimeSpan MemoryPatience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxReconnectDelay = TimeSpan.FromMilliseconds(500);

    private readonly ChildLog _log;
    private readonly RegionSettings _settings;
    private readonly IHost _client;
    private ChildProcess _process;
    private long _started;
    private int _life;
    private volatile bool _isAway;

    private Region(RegionSettings settings, ChildLog log)
    {
        (_settings, _log) = (settings, log);
        _process = Start();
        _client = Client(settings.GatewayPort);
    }

    public string Name => _settings.Cluster;

    /// <summary>Its memory, since the beginning.</summary>
    public List<MemorySample> Memory { get; } = [];

    /// <summary>The region as its customers see it.</summary>
    public IGrainFactory Grains => _client.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Ends with the reason when the process ends that nobody ended.</summary>
    public Task<string> Failed => _process.Failed;

    public static async Task<Region> StartAsync(RegionSettings settings, string logFolder, CancellationToken cancellationToken)
    {
        var region = new Region(settings, new ChildLog(Path.Combine(logFolder, $"{settings.Cluster}.log")));
        try
        {
            await region._process.ReadyAsync<string>(cancellationToken);
            await region._client.StartAsync(cancellationToken);
            return region;
        }
        catch
        {
            await region.DisposeAsync();
            throw;
        }
    }

    public Task KillAsync()
    {
        _isAway = true;
        return _process.KillAsync();
    }

    /// <summary>Starts the killed process again, where it was, with an empty memory.</summary>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        await _process.DisposeAsync();
        _life++;
        _process = Start();
        await _process.ReadyAsync<string>(cancellationToken);
        _isAway = false;
    }

    public Task FreezeAsync()
    {
        _isAway = true;
        return _process.SignalAsync("STOP");
    }

    public async Task WakeAsync()
    {
        await _process.SignalAsync("CONT");
        _isAway = false;
    }

    /// <summary>Takes a sample, unless a fault is in the way.</summary>
    public async Task SampleAsync(CancellationToken cancellationToken)
    {
        var (life, age) = (_life, Stopwatch.GetElapsedTime(_started));
        try
        {
            if (!_isAway)
            {
                var bytes = await _process.AskAsync<string, long>("memory", MemoryPatience, cancellationToken);
                Memory.Add(new MemorySample(life, age, bytes));
            }
        }
        catch (ChildFailedException)
        {
            // Killed or frozen meanwhile.
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _client.StopAsync();
        _client.Dispose();
        if (_isAway)
        {
            await _process.KillAsync();
        }

        await _process.StopAsync();
        await _process.DisposeAsync();
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

    private ChildProcess Start()
    {
        _started = Stopwatch.GetTimestamp();
        return ChildProcess.Start(
            _settings.Cluster, ProgramStart.Of(typeof(Region).Assembly, RegionRole.Name), _settings, _log);
    }
}
