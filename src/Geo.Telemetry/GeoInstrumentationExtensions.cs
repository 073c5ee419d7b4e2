using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Geo.Telemetry;

/// <summary>Has OpenTelemetry collect what Geo measures.</summary>
public static class GeoInstrumentationExtensions
{
    private const string All = "Geo.*";

    /// <summary>Collects every instrument of every package of Geo in this process: those on the page docs/metrics.md.</summary>
    /// <param name="builder">The provider of meters.</param>
    /// <returns>The same provider.</returns>
    public static MeterProviderBuilder AddGeoInstrumentation(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(All);
    }

    /// <summary>
    /// Collects the spans of Geo: a client's around each request between silos, a server's around each handler, in one trace across the
    /// wire.
    /// </summary>
    /// <param name="builder">The provider of tracers.</param>
    /// <returns>The same provider.</returns>
    public static TracerProviderBuilder AddGeoInstrumentation(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(All);
    }
}
