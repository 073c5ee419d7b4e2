using Geo.Consistency;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Testing;

/// <summary>One life of a silo: its process is a lane, its host is the one that the application configures.</summary>
internal sealed class SiloIncarnation
{
    private readonly SimulatedSilo _silo;
    private readonly TaskCompletionSource _gone = new();
    private ServiceProvider? _services;
    private SimulatedLifetime? _lifetime;
    private GeoSilo? _host;

    public SiloIncarnation(SimulatedSilo silo, SimulationLane lane) => (_silo, Lane) = (silo, lane);

    /// <summary>The process.</summary>
    public SimulationLane Lane { get; }

    /// <summary>True between the end of the start and the beginning of the end.</summary>
    public bool IsServing { get; private set; }

    /// <summary>True once its host was stopped from within, as a silo that finds itself fenced off does.</summary>
    public bool HasStoppedItself => _lifetime is { HasStoppedItself: true };

    /// <summary>Its end of the network; null before it has begun to start.</summary>
    public SimulatedMessenger? Messenger { get; private set; }

    public IServiceProvider Services => _services!;

    public IGrainFactory Grains => Silo.Factory;

    /// <summary>False while the silo has no lease, so that the instances it still has serve nobody.</summary>
    public bool MayServe => _host?.Guard is not { MayServe: false };

    /// <summary>True of another silo of the cluster that this one takes for fenced off.</summary>
    public bool TakesForGone(string node) => _host?.TakesForGone(node) == true;

    /// <summary>The epoch of an instance here, and whether it may serve; null where there is none that has its row.</summary>
    public (long Epoch, bool MayServe)? TenancyOf(GrainKey key) => _host?.TenancyOf(key);

    /// <summary>What volatile grains remember here; null before the host has begun to start.</summary>
    public ReplicaMemories? Memories => _host?.Memories;

    /// <summary>What a gateway would take.</summary>
    public InboundCalls Inbound => Silo.Inbound!;

    /// <summary>How it writes values down; null before the host has begun to start.</summary>
    public WireSettings? Wire => _services?.GetRequiredService<GeoEmbeddedBuilder>().Wire;

    private GeoSilo Silo => _host!;

    /// <summary>Builds the host and starts what it hosts, as steps of the lane.</summary>
    /// <returns>False when it crashed meanwhile.</returns>
    public async Task<bool> StartAsync()
    {
        var hasStarted = await RunAsync(async () =>
        {
            _services = Build();
            _lifetime = _services.GetRequiredService<SimulatedLifetime>();
            _host = _services.GetRequiredService<GeoSilo>();
            foreach (var hosted in _services.GetServices<IHostedService>())
            {
                await hosted.StartAsync(CancellationToken.None);
            }

            _lifetime.Started();
        });
        return IsServing = hasStarted && !Lane.IsHalted;
    }

    /// <summary>Stops in order; ends too when it crashes meanwhile.</summary>
    public Task StopAsync()
    {
        IsServing = false;
        return RunAsync(async () =>
        {
            _lifetime!.Stopping();
            foreach (var hosted in _services!.GetServices<IHostedService>().Reverse())
            {
                await hosted.StopAsync(CancellationToken.None);
            }

            _lifetime!.Stopped();
            await _services!.DisposeAsync();
        });
    }

    /// <summary>Nothing of it runs again.</summary>
    public void Halt()
    {
        IsServing = false;
        Lane.Halt();
        _host?.Abandon();
        _gone.TrySetResult();
    }

    /// <returns>False when it has ended before the function.</returns>
    public async Task<bool> RunAsync(Func<Task> function)
    {
        var run = Lane.RunAsync(function);
        await Task.WhenAny(run, _gone.Task);
        if (!run.IsCompleted)
        {
            return false;
        }

        await run;
        return true;
    }

    private ServiceProvider Build()
    {
        var world = _silo.Cluster.World;
        var host = new SimulatedHostBuilder();
        host.Services.AddOptions();
        _silo.Cluster.Configure(host);
        host.Services.RemoveAll<ILoggerFactory>();
        host.Services.AddSingleton<ILoggerFactory>(world.Log);
        host.Services.TryAdd(ServiceDescriptor.Singleton(typeof(ILogger<>), typeof(Logger<>)));
        host.Services.AddSingleton<TimeProvider>(_silo.Clock);
        host.Services.AddSingleton(_ => new SimulatedLifetime(() => _silo.StopsItself(this)));
        host.Services.AddSingleton<IHostApplicationLifetime>(services => services.GetRequiredService<SimulatedLifetime>());
        host.Services.AddSingleton<SiloSurroundings>(new SimulatedSurroundings(_silo, Lane, world.Choices.Seed.Fork($"silo {Lane.Name}")));
        Messenger = world.Network.Join(_silo.Cluster.Id, Lane);
        host.Services.AddSingleton(world.BreakMessenger?.Invoke(Messenger) ?? Messenger);
        host.Services.PostConfigure<GeoEmbeddedOptions>(Configure);
        var added = host.Services.FirstOrDefault(s => s.ServiceType == typeof(GeoEmbeddedBuilder));
        if (added?.ImplementationInstance is not GeoEmbeddedBuilder builder)
        {
            throw new GeoConfigurationException($"The configuration of cluster {_silo.Cluster} makes no silo; call UseGeoEmbedded in it.");
        }

        SharedMetadata.Lend(builder);
        return host.Services.BuildServiceProvider();
    }

    /// <summary>What the place in the simulated world says, whatever the application's settings name.</summary>
    private void Configure(GeoEmbeddedOptions options)
    {
        options.ClusterId = _silo.Cluster.Id.Name;
        (options.ListenOn, options.Gateway) = (null, null);
        options.Clusters.Clear();
        foreach (var cluster in _silo.Configuration ?? [.. _silo.Cluster.World.Clusters.Select(c => c.Id)])
        {
            options.Clusters[cluster.Name] = [];
        }
    }
}
