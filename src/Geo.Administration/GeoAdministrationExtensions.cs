using Geo.HealthChecks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>Adds the admin endpoint to a silo.</summary>
public static class GeoAdministrationExtensions
{
    /// <summary>
    /// Has the silo of this process, on either host, listen for the tool <c>geo</c>, and tell the other clusters how it is. Add it in all
    /// clusters: what one of them cannot see of another, that one tells. From when on something is a fault is set with
    /// <see cref="GeoHealthOptions"/>.
    /// </summary>
    /// <remarks>
    /// Whoever has the key may look at everything but the states of grains, and may resolve, release and move single-instance grains.
    /// Orders are logged.
    /// </remarks>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Sets the key, and changes the rest.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="GeoConfigurationException">
    /// A setting cannot be: a key under 32 bytes, an address beyond loopback without a certificate. Thrown when the host starts, as is an
    /// address in use.
    /// </exception>
    public static IServiceCollection AddGeoAdministration(this IServiceCollection services, Action<GeoAdministrationOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddOptions<GeoAdministrationOptions>().Configure(configure).ValidateOnStart();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<GeoAdministrationOptions>, GeoAdministrationOptionsCheck>());
        services.AddGeoHealthOptions();
        services.TryAddSingleton(TimeProvider.System);
        services.AddSingleton<Neighbours>();
        services.AddSingleton<Overviews>();
        services.AddSingleton<GrainSearch>();
        services.AddSingleton<DoubtfulGrains>();
        services.AddSingleton<ConfigurationOrders>();
        services.AddSingleton<KeeperOrders>();
        services.AddSingleton<AdminRequests>();
        services.AddSingleton<OverviewFeed>();
        services.AddSingleton<Dashboard>();
        services.AddSingleton<AdminEndpoint>();
        services.AddSingleton<IGeoAdminEndpoint>(provider => provider.GetRequiredService<AdminEndpoint>());
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredService<Neighbours>());
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredService<AdminEndpoint>());
        return services;
    }
}
