using Geo.Administration;
using Geo.Embedded;
using Geo.HealthChecks;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Tool.Tests.Kit;

/// <summary>What a region of a test is like.</summary>
internal sealed record RegionOptions
{
    public string Cluster { get; init; } = "eu";

    public string Other { get; init; } = "us";

    /// <summary>Where the other region listens; null where it dials, or is scripted.</summary>
    public string? OtherAddress { get; init; }

    /// <summary>Whether it has an admin endpoint.</summary>
    public bool HasEndpoint { get; init; } = true;

    public IClusterMessenger? Messenger { get; init; }

    public Func<SiloReport, SiloReport> Told { get; init; } = report => report;

    public Action<GeoEmbeddedBuilder> Geo { get; init; } = _ => { };

    public Action<GeoHealthOptions> Health { get; init; } = _ => { };

    public Action<GeoAdministrationOptions> Admin { get; init; } = _ => { };

    public void AddTo(IServiceCollection services, string key)
    {
        if (Messenger is not null)
        {
            services.AddSingleton(Messenger);
        }

        services.Configure<GeoHealthOptions>(health =>
        {
            // A store in this process's memory is never slow, however busy the machine is.
            (health.SlowStore, health.StoreTimeout) = (TimeSpan.FromSeconds(29), TimeSpan.FromMinutes(2));
            health.OutOfReach = TimeSpan.Zero;
            Health(health);
        });
        if (!HasEndpoint)
        {
            return;
        }

        services.AddGeoAdministration(admin =>
        {
            admin.ListenOn = "127.0.0.1:0";
            admin.Key = key;
            admin.AskInterval = TimeSpan.FromMilliseconds(100);
            admin.AnswerTimeout = TimeSpan.FromSeconds(30);
            Admin(admin);
        });
    }
}
