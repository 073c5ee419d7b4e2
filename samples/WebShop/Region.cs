namespace WebShop;

/// <summary>A silo and its web API in one process. All settings come from the configuration.</summary>
public static class Region
{
    public static WebApplication Create(string[] args)
    {
        var builder = WebApplication.CreateBuilder(args);
        ThisHost.AddSilo(builder);
        Operations.AddTo(builder);
        var app = builder.Build();
        Operations.MapOn(app);

        var shop = app.MapGroup("").AddEndpointFilter(TellAsync).AddEndpointFilter(WebSession.KeepAsync);
        shop.MapGet("/stock/{item}", (string item, IGrainFactory grains) => grains.GetGrain<IStock>(item).Glance());
        shop.MapPut("/stock/{item}/orders/{order}", async (string item, string order, IGrainFactory grains) =>
            await grains.GetGrain<IStock>(item).Sell(order) ? Results.Ok() : Results.Conflict("sold out"));
        shop.MapGet("/rating/{item}", (string item, IGrainFactory grains) => grains.GetGrain<IRating>(item).Average());
        shop.MapPut("/rating/{item}/{customer}/{stars:int:range(1,5)}", (string item, string customer, int stars, IGrainFactory grains) =>
            grains.GetGrain<IRating>(item).Rate(customer, stars));
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
