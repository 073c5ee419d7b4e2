using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Adds the health checks of a silo.</summary>
public static class GeoHealthChecksExtensions
{
    /// <summary>The tag that all checks of Geo carry.</summary>
    public const string Tag = "geo";

    /// <summary>
    /// Adds the checks of the silo in this process, on Geo.Embedded and on Geo.Orleans: <c>geo.links</c>, <c>geo.certificate</c>,
    /// <c>geo.doubtful</c>, <c>geo.replication</c>, <c>geo.lease</c> and <c>geo.stores</c>, with the tag <c>geo</c>.
    /// </summary>
    /// <remarks>
    /// The loss of other clusters makes a silo Degraded, never Unhealthy: it goes on serving. It is told once, by <c>geo.links</c>: what
    /// follows from it, grains in doubt and replicas behind, is no further fault. Before the silo has started and once it stops every
    /// check is Unhealthy.
    /// </remarks>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Changes the thresholds.</param>
    /// <returns>The checks, to which the application's own can be added.</returns>
    /// <exception cref="GeoConfigurationException">A threshold cannot be; thrown when the host starts.</exception>
    public static IHealthChecksBuilder AddGeoHealthChecks(this IServiceCollection services, Action<GeoHealthOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddGeoHealthOptions().Configure(configure ?? (_ => { }));
        services.TryAddSingleton(TimeProvider.System);
        return services.AddHealthChecks()
            .AddCheck<LinksCheck>("geo.links", tags: [Tag])
            .AddCheck<CertificateCheck>("geo.certificate", tags: [Tag])
            .AddCheck<DoubtfulCheck>("geo.doubtful", tags: [Tag])
            .AddCheck<ReplicationCheck>("geo.replication", tags: [Tag])
            .AddCheck<LeaseCheck>("geo.lease", tags: [Tag])
            .AddCheck<StoresCheck>("geo.stores", tags: [Tag]);
    }

    /// <summary>Adds the thresholds, once however many look at them.</summary>
    internal static OptionsBuilder<GeoHealthOptions> AddGeoHealthOptions(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<GeoHealthOptions>, GeoHealthOptionsCheck>());
        return services.AddOptions<GeoHealthOptions>().ValidateOnStart();
    }
}
