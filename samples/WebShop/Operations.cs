using Geo.Administration;
using Geo.HealthChecks;
using Geo.Telemetry;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace WebShop;

/// <summary>
/// What those look at who run the shop, and no customer needs: probes, metrics for a collector, and with <c>Admin:Key</c> the endpoint of
/// the tool <c>geo</c> and the dashboard.
/// </summary>
internal static class Operations
{
    public static void AddTo(WebApplicationBuilder builder)
    {
        builder.Services.AddGeoHealthChecks();
        if (builder.Configuration["OTEL_EXPORTER_OTLP_ENDPOINT"] is not null)
        {
            builder.Services.AddSingleton(_ => Sdk.CreateMeterProviderBuilder().AddGeoInstrumentation().AddOtlpExporter().Build());
        }

        if (HasKey(builder.Configuration))
        {
            builder.Services.AddAuthorization().AddGeoAdministration(
                admin => builder.Configuration.GetSection("Admin").Bind(admin, bind => bind.ErrorOnUnknownConfiguration = true));
        }
    }

    public static void MapOn(WebApplication app)
    {
        app.Services.GetService<MeterProvider>();
        if (HasKey(app.Configuration) && app.Configuration.GetValue<bool>("Dashboard"))
        {
            // The shop knows no users: whoever reaches its address may look. An application that does leaves AllowAnonymous out.
            app.MapGeoDashboard().AllowAnonymous();
        }

        // A restart mends what the first says, another region what the second does.
        app.MapGet("/alive", () => Results.Ok());
        app.MapHealthChecks("/ready");
    }

    private static bool HasKey(IConfiguration configuration) => configuration["Admin:Key"] is not null;
}
