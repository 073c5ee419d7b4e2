using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded;

/// <summary>
/// A client outside the silos: calls grains through the gateway of a silo, whatever cluster they are in. Thread-safe; one serves a whole
/// process, with thousands of calls at once.
/// </summary>
/// <remarks>
/// When the link is lost, calls under way end with a <see cref="GeoOutcomeUnknownException"/>, because they may have been executed, and
/// later calls go to the next gateway. While none is connected a call waits for one for <see cref="GeoClientOptions.ConnectionWait"/> and
/// then fails with a <see cref="GeoUnavailableException"/>: it was certainly not executed.
/// </remarks>
public sealed class GeoClient : IGrainFactory, IAsyncDisposable
{
    private readonly IGatewayLink _link;
    private readonly SiloSurroundings _around;
    private readonly GatewayCalls _calls;
    private readonly GrainFactory _factory;

    /// <summary>Creates a client that is not connected yet.</summary>
    /// <param name="options">Its settings.</param>
    /// <param name="loggers">Where link trouble is logged; nowhere when null.</param>
    /// <param name="time">The clock; the system's when null.</param>
    /// <exception cref="GeoConfigurationException">A setting is missing or wrong.</exception>
    public GeoClient(GeoClientOptions options, ILoggerFactory? loggers = null, TimeProvider? time = null)
        : this(
            options, new WireSettings(), loggers ?? NullLoggerFactory.Instance, time ?? TimeProvider.System, SiloSurroundings.Process,
            link: null)
    {
    }

    /// <param name="options">Its settings.</param>
    /// <param name="wire">What it agrees on with the silos.</param>
    /// <param name="loggers">Where link trouble is logged.</param>
    /// <param name="time">The clock.</param>
    /// <param name="around">What is around it.</param>
    /// <param name="link">The way to the silos; links over the network when null.</param>
    internal GeoClient(
        GeoClientOptions options, WireSettings wire, ILoggerFactory loggers, TimeProvider time, SiloSurroundings around, IGatewayLink? link)
    {
        ArgumentNullException.ThrowIfNull(options);
        SettingsReading.Validate(options);
        _around = around;
        _link = link ?? new GatewayLinks(
            [.. options.Gateways.Select(g => SettingsReading.Address(g, $"{GeoClientOptions.Section}:Gateways")!)], options, time, loggers);
        _calls = new GatewayCalls(
            _link, options, wire.Exceptions,
            new JsonGeoSerializer(wire.JsonOptions, (type, key) => _factory!.Reference(type, key)),
            new Deadlines(time, options.TimeoutResolution),
            around,
            loggers.CreateLogger("Geo.Embedded.Client"));
        _factory = new GrainFactory(_calls, GrainClasses.Alias);
    }

    /// <summary>True when a gateway is connected.</summary>
    public bool IsConnected => _link.Current is not null;

    /// <summary>Starts to connect and waits until the first gateway is.</summary>
    /// <param name="cancellationToken">Ends the wait; the client goes on trying.</param>
    /// <exception cref="GeoConfigurationException">An address lies beyond this machine and the link would be unprotected.</exception>
    public async Task ConnectAsync(CancellationToken cancellationToken = default)
    {
        await _link.StartAsync(cancellationToken).ConfigureAwait(_around.KeepsContext);
        await _around.EndHere(_link.Connected).WaitAsync(cancellationToken).ConfigureAwait(_around.KeepsContext);
    }

    /// <inheritdoc/>
    public TGrainInterface GetGrain<TGrainInterface>(string primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithStringKey => _factory.GetGrain<TGrainInterface>(primaryKey, grainClassNamePrefix);

    /// <inheritdoc/>
    public TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidKey => _factory.GetGrain<TGrainInterface>(primaryKey, grainClassNamePrefix);

    /// <inheritdoc/>
    public TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerKey => _factory.GetGrain<TGrainInterface>(primaryKey, grainClassNamePrefix);

    /// <inheritdoc/>
    public TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidCompoundKey =>
        _factory.GetGrain<TGrainInterface>(primaryKey, keyExtension, grainClassNamePrefix);

    /// <inheritdoc/>
    public TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerCompoundKey =>
        _factory.GetGrain<TGrainInterface>(primaryKey, keyExtension, grainClassNamePrefix);

    /// <summary>Disconnects; calls under way end as unknown.</summary>
    public async ValueTask DisposeAsync()
    {
        await _link.DisposeAsync().ConfigureAwait(_around.KeepsContext);
        _calls.Dispose();
    }

    /// <summary>Starts to connect without waiting.</summary>
    internal ValueTask StartAsync(CancellationToken cancellationToken) => _link.StartAsync(cancellationToken);
}
