using Geo.Embedded;
using Geo.Tool.Tests.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Tool.Tests.Dashboard;

/// <summary>A web application with a silo in it, as an application has one.</summary>
internal sealed class Application : IAsyncDisposable
{
    private readonly WebApplication _web;

    private Application(WebApplication web)
    {
        _web = web;
        Http = new HttpClient { BaseAddress = new Uri(web.Urls.First()) };
    }

    public HttpClient Http { get; }

    public IGrainFactory Grains => _web.Services.GetRequiredService<IGrainFactory>();

    public static async Task<Application> StartAsync(
        RegionOptions options, Action<WebApplication> configure, Action<IServiceCollection>? services = null)
    {
        var builder = WebApplication.CreateEmptyBuilder(new());
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        builder.Services.AddRoutingCore();
        services?.Invoke(builder.Services);
        options.AddTo(builder.Services, Region.Key);
        builder.UseGeoEmbedded(geo => geo.AddGrains(typeof(CounterGrain).Assembly).Configure(settings =>
        {
            settings.ClusterId = options.Cluster;
            settings.Clusters[options.Other] = options.OtherAddress is { } address ? [address] : [];
        }));
        var web = builder.Build();
        try
        {
            configure(web);
            await web.StartAsync(TestContext.Current.CancellationToken);
            return new Application(web);
        }
        catch
        {
            await web.DisposeAsync();
            throw;
        }
    }

    /// <summary>Stops as a signal to the process would, with viewers still there.</summary>
    public Task StopAsync() => _web.StopAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _web.StopAsync(CancellationToken.None);
        await _web.DisposeAsync();
    }
}
