using Geo.Administration;
using Geo.Testing.Wan;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Orleans.Tests.Hosting;

/// <summary>A web application that is the one silo of the cluster <c>eu</c>, beside a cluster <c>us</c>.</summary>
internal sealed class DashboardSilo : IAsyncDisposable
{
    private readonly WebApplication _web;

    private DashboardSilo(WebApplication web)
    {
        _web = web;
        Http = new HttpClient { BaseAddress = new Uri(web.Urls.First()) };
    }

    public HttpClient Http { get; }

    public static void Administration(GeoAdministrationOptions admin)
    {
        (admin.ListenOn, admin.Key) = ("127.0.0.1:0", new string('k', 32));
        (admin.AskInterval, admin.AnswerTimeout) = (TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));
    }

    public static async Task<DashboardSilo> StartAsync(GeoTestCluster us)
    {
        var ports = FreePorts.Take(2);
        var builder = WebApplication.CreateEmptyBuilder(new());
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        builder.Services.AddRoutingCore().AddAuthorization().AddGeoAdministration(Administration);
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(ports[0], ports[1], serviceId: "geo-tests", clusterId: "eu");
            silo.UseGeo(geo => geo
                .UseRowStore(_ => new InMemoryConditionalStore())
                .AddStore(GeoStorage.Default, _ => us.Shared)
                .Configure(settings =>
                {
                    settings.ClusterId = "eu";
                    settings.Clusters["us"] = [.. us.EntryPointsOf("us").Select(entry => entry.ToString())];
                }));
        });
        var web = builder.Build();
        try
        {
            web.MapGeoDashboard().AllowAnonymous();
            await web.StartAsync(TestContext.Current.CancellationToken);
            return new DashboardSilo(web);
        }
        catch
        {
            await web.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _web.StopAsync(CancellationToken.None);
        await _web.DisposeAsync();
    }
}
