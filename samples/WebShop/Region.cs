using Geo.Administration;
using Geo.HealthChecks;
using Geo.Telemetry;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace WebShop;

/// <summary>A silo and its web API in one process. All settings come from the configuration.</summary>
public static class Region
{
    private const string Collector = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private const string Admin = "Admin";

    public static WebApplication Create(string[] args)
    {
        var builder = WebApplication.CreateBuilder(args);
        ThisHost.AddSilo(builder);
        if (builder.Configuration[Collector] is not null)
        {
            builder.Services.AddSingleton(_ => Sdk.CreateMeterProviderBuilder().AddGeoInstrumentation().AddOtlpExporter().Build());
        }

        builder.Services.AddGeoHealthChecks();
        var admin = builder.Configuration.GetSection(Admin);
        if (admin["Key"] is not null)
        {
            builder.Services.AddGeoAdministration(admin.Bind).AddAuthorization();
        }

        var app = builder.Build();
        app.Services.GetService<MeterProvider>();
        if (admin["Key"] is not null && admin.GetValue<bool>("Dashboard"))
        {
            // The shop knows no users: whoever reaches its address may look. An application that does leaves AllowAnonymous out.
            app.MapGeoDashboard().AllowAnonymous();
        }

        // A restart mends what the first says, another region what the second does.
        app.MapGet("/alive", () => Results.Ok());
        app.MapHealthChecks("/ready");

        var shop = app.MapGroup("").AddEndpointFilter(TellAsync).AddEndpointFilter(WebSession.BeginAsync);
        shop.MapGet("/stock/{item}", (string item, IGrainFactory grains) => grains.GetGrain<IStock>(item).Glance());
        shop.MapPut("/stock/{item}/orders/{order}", async (string item, string order, IGrainFactory grains) =>
            await grains.GetGrain<IStock>(item).Sell(order) ? Results.Ok() : Results.Conflict("sold out"));
        shop.MapGet("/rating/{item}", async (string item, IGrainFactory grains, HttpContext http) =>
        {
            var average = await grains.GetGrain<IRating>(item).Average();
            return http.Told(average.Value, average.Session);
        });
        shop.MapPut("/rating/{item}/{customer}/{stars:int:range(1,5)}", async (
            string item, string customer, int stars, IGrainFactory grains, HttpContext http) =>
        {
            var rated = await grains.GetGrain<IRating>(item).Rate(customer, stars);
            return http.Told(Results.Ok(), rated.Session);
        });
        return app;
    }

    /// <summary>True where the regions share a PostgreSQL table, false where they are on one machine and share a file.</summary>
    internal static bool HasDatabase(IConfiguration configuration) => configuration["Geo:Stores:Default:ConnectionString"] is not null;

    // Both may be asked again: an order or a rating that is asked for twice counts once.
    private static async ValueTask<object?> TellAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        try
        {
            return await next(context);
        }
        catch (Exception e) when (e is GeoUnavailableException or GeoOutcomeUnknownException)
        {
            return Results.Problem(e.Message, statusCode: StatusCodes.Status503ServiceUnavailable);
        }
    }
}
