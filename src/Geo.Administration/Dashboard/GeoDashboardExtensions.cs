using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Administration;

/// <summary>Adds the dashboard to an application of ASP.NET Core.</summary>
public static class GeoDashboardExtensions
{
    /// <summary>
    /// Serves a page that shows, live, what the tool <c>geo</c> does: clusters with their round trips, links and queues, stores, grains in
    /// doubt, lag, what is wrong, the latest moves of grains and changes of the configuration; and where a grain is. It changes nothing,
    /// and loads nothing from elsewhere.
    /// </summary>
    /// <remarks>
    /// Needs <see cref="GeoAdministrationExtensions.AddGeoAdministration"/>, for its data and for those of the other clusters. Whoever
    /// looks must be known to the application: the page asks for authorization, and without <c>AddAuthorization</c> on the application's
    /// services it is not served. To let anybody look, say so: <c>MapGeoDashboard().AllowAnonymous()</c>.
    /// </remarks>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">Where the page is; <c>/geo</c> by default.</param>
    /// <returns>The page's endpoints, for example to name a policy: <c>RequireAuthorization("operators")</c>.</returns>
    /// <exception cref="GeoConfigurationException">AddGeoAdministration was not called.</exception>
    public static IEndpointConventionBuilder MapGeoDashboard(this IEndpointRouteBuilder endpoints, string path = "/geo")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        var dashboard = endpoints.ServiceProvider.GetService<Dashboard>() ?? throw new GeoConfigurationException(
            "MapGeoDashboard has nothing to show: call AddGeoAdministration on the services of the host, too.");
        var pages = endpoints.MapGroup(path);
        pages.MapGet("", (RequestDelegate)Dashboard.PageAsync);
        pages.MapGet("dashboard.js", (RequestDelegate)(context => Dashboard.FileAsync(context, "dashboard.js", "text/javascript")));
        pages.MapGet("dashboard.css", (RequestDelegate)(context => Dashboard.FileAsync(context, "dashboard.css", "text/css")));
        pages.MapGet("events", (RequestDelegate)dashboard.EventsAsync);
        pages.MapGet("grain", (RequestDelegate)dashboard.GrainAsync);
        return pages.RequireAuthorization();
    }
}
