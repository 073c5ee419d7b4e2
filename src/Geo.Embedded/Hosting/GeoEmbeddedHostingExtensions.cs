using Geo.Consistency.Lattices;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>Puts a silo, or a client of silos, into a host.</summary>
public static class GeoEmbeddedHostingExtensions
{
    /// <summary>
    /// Runs a cluster of one silo in this process. An <see cref="IGrainFactory"/> is then among the services. Settings come from the
    /// configuration section <c>Geo</c> and from <see cref="GeoEmbeddedBuilder.Configure"/>; what is wrong with them ends the host's start
    /// with a <see cref="GeoConfigurationException"/>.
    /// </summary>
    public static IHostApplicationBuilder UseGeoEmbedded(this IHostApplicationBuilder builder, Action<GeoEmbeddedBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        var section = new GeoSection(builder.Configuration.GetSection(GeoEmbeddedOptions.Section));
        builder.Services.Configure<GeoEmbeddedOptions>(section.BindRest);
        var geo = new GeoEmbeddedBuilder(builder.Services, section);
        configure(geo);
        builder.Services.AddSingleton(geo);
        builder.Services.AddSingleton<GeoSilo>();
        builder.Services.AddSingleton<ISiloAccess>(s => s.GetRequiredService<GeoSilo>());
        builder.Services.AddSingleton<StatusReader>();
        builder.Services.AddSingleton<IGeoStatus>(s => s.GetRequiredService<StatusReader>());
        builder.Services.AddSingleton<IGeoSilo>(s => s.GetRequiredService<GeoSilo>());
        builder.Services.AddSingleton(s => s.GetRequiredService<GeoSilo>().Factory);
        builder.Services.AddSingleton<ILatticeSessions>(s => new SiloSessions(s.GetRequiredService<GeoSilo>()));
        builder.Services.AddHostedService(s => s.GetRequiredService<GeoSilo>());
        return builder;
    }

    /// <summary>
    /// Connects this process to silos elsewhere. A <see cref="GeoClient"/>, which is also the <see cref="IGrainFactory"/>, is then among
    /// the services. Settings come from the configuration section <c>GeoClient</c> and from <see cref="GeoClientBuilder.Configure"/>.
    /// </summary>
    public static IHostApplicationBuilder UseGeoEmbeddedClient(this IHostApplicationBuilder builder, Action<GeoClientBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        builder.Services.Configure<GeoClientOptions>(builder.Configuration.GetSection(GeoClientOptions.Section).BindKnown);
        var client = new GeoClientBuilder(builder.Services);
        configure(client);
        builder.Services.AddSingleton(s => new GeoClient(
            s.GetRequiredService<IOptions<GeoClientOptions>>().Value,
            client.Wire,
            s.GetRequiredService<ILoggerFactory>(),
            s.GetService<TimeProvider>() ?? TimeProvider.System,
            SiloSurroundings.Of(s),
            s.GetService<IGatewayLink>()));
        builder.Services.AddSingleton<IGrainFactory>(s => s.GetRequiredService<GeoClient>());
        builder.Services.AddHostedService<GeoClientService>();
        return builder;
    }
}
