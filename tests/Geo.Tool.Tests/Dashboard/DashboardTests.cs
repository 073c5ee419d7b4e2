using System.Net;
using System.Text.Json;
using Geo.Administration;
using Geo.Tool.Tests.Kit;
using Microsoft.AspNetCore.Authentication.BearerToken;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Tool.Tests.Dashboard;

public sealed class DashboardTests
{
    private static readonly string[] Paths = ["/geo", "/geo/dashboard.js", "/geo/dashboard.css", "/geo/events", "/geo/grain?key=counter/a"];

    [Fact]
    public async Task The_page_and_its_files_load_nothing_from_elsewhere()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous());

        using var page = await application.Http.GetAsync("/geo", TestContext.Current.CancellationToken);
        Assert.StartsWith("default-src 'none';", page.Headers.GetValues("Content-Security-Policy").Single());
        foreach (var path in Paths[..3])
        {
            var text = await application.Http.GetStringAsync(path, TestContext.Current.CancellationToken);
            Assert.DoesNotContain("@root", text);

            // A namespace is no address that anybody loads.
            Assert.DoesNotContain("//", text.Replace("http://www.w3.org/2000/svg", "").Replace("\n// ", "\n"));
        }

        Assert.Contains("src=\"/geo/dashboard.js\"", await page.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task It_can_be_elsewhere()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard("/ops/regions").AllowAnonymous());

        var page = await application.Http.GetStringAsync("/ops/regions", TestContext.Current.CancellationToken);

        Assert.Contains("data-root=\"/ops/regions\"", page);
        var script = await application.Http.GetStringAsync("/ops/regions/dashboard.js", TestContext.Current.CancellationToken);
        Assert.Contains("EventSource", script);
    }

    [Fact]
    public async Task It_can_be_within_a_group()
    {
        await using var application = await StartAsync(web => web.MapGroup("/ops").MapGeoDashboard("/regions").AllowAnonymous());

        var page = await application.Http.GetStringAsync("/ops/regions/", TestContext.Current.CancellationToken);

        Assert.Contains("data-root=\"/ops/regions\"", page);
    }

    [Fact]
    public async Task What_happens_shows_without_asking_again()
    {
        var us = new ScriptedCluster();
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous(), us);
        await using var events = await application.Http.GetStreamAsync("/geo/events", TestContext.Current.CancellationToken);
        using var reader = new StreamReader(events);

        Assert.Equal(0, (await NextAsync(reader)).GetProperty("findings").GetArrayLength());
        us.IsUp = false;

        await Eventually.Is(
            async () => (await NextAsync(reader)).GetProperty("findings").ToString(),
            findings => findings.Contains("region-down", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_move_shows_without_asking_again()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous());
        await using var events = await application.Http.GetStreamAsync("/geo/events", TestContext.Current.CancellationToken);
        using var reader = new StreamReader(events);
        Assert.Equal("[]", (await NextAsync(reader)).GetProperty("history").GetProperty("moves").ToString());

        await application.Grains.GetGrain<ICounter>("a").Add(1);

        await Eventually.Is(
            async () => (await NextAsync(reader)).GetProperty("history").GetProperty("moves").ToString(),
            moves => moves.Contains("counter/a", StringComparison.Ordinal) && moves.Contains("BecameDoubtful", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Who_watches_does_not_hold_up_the_end_of_the_application()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous());
        await using var events = await application.Http.GetStreamAsync("/geo/events", TestContext.Current.CancellationToken);
        using var reader = new StreamReader(events);
        await NextAsync(reader);

        // A host that is not asked for another limit waits 30 s for what a web server serves, and has none left for the silo.
        await application.StopAsync().WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_grain_is_found_and_a_key_that_is_none_is_told()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous());
        await application.Grains.GetGrain<ICounter>("a").Add(1);

        var answer = await application.Http.GetStringAsync("/geo/grain?key=counter/a", TestContext.Current.CancellationToken);
        Assert.Equal("eu", JsonDocument.Parse(answer).RootElement.GetProperty("cluster").GetString());
        using var none = await application.Http.GetAsync("/geo/grain?key=nonsense", TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.BadRequest, none.StatusCode);
    }

    [Fact]
    public async Task So_many_searches_run_at_a_time_and_one_more_is_refused()
    {
        const int most = 16;
        var answer = new TaskCompletionSource();
        var us = new ScriptedCluster();
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous(), us);
        us.Answering = answer.Task;
        var before = us.Asked;
        var searches = Enumerable.Range(0, most).Select(one => SearchAsync($"counter/{one}")).ToList();
        await Eventually.Is(() => Task.FromResult(us.Asked - before), asked => asked == most);

        Assert.Equal(
            HttpStatusCode.ServiceUnavailable,
            await SearchAsync("counter/more").WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));

        answer.SetResult();
        Assert.All(await Task.WhenAll(searches), code => Assert.Equal(HttpStatusCode.OK, code));
        Assert.Equal(HttpStatusCode.OK, await SearchAsync("counter/more"));

        async Task<HttpStatusCode> SearchAsync(string key)
        {
            using var response = await application.Http.GetAsync($"/geo/grain?key={key}", TestContext.Current.CancellationToken);
            return response.StatusCode;
        }
    }

    [Fact]
    public async Task So_many_watch_as_the_options_allow_and_one_more_is_refused_until_one_leaves()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous(), admin: o => o.MaxViewers = 1);
        var first = await application.Http.GetStreamAsync("/geo/events", TestContext.Current.CancellationToken);
        using (var reader = new StreamReader(first))
        {
            await NextAsync(reader);

            using var refused = await WatchAsync();
            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            Assert.Contains("1 others", await refused.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
        }

        await Eventually.Is(
            async () =>
            {
                using var next = await WatchAsync();
                return next.StatusCode;
            },
            status => status == HttpStatusCode.OK);

        Task<HttpResponseMessage> WatchAsync() => application.Http.GetAsync(
            "/geo/events", HttpCompletionOption.ResponseHeadersRead, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task It_changes_nothing()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard().AllowAnonymous());
        foreach (var path in Paths)
        {
            using var response = await application.Http.PostAsync(path, null, TestContext.Current.CancellationToken);
            Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        }
    }

    [Fact]
    public async Task Who_is_unknown_to_the_application_sees_nothing()
    {
        await using var application = await StartAsync(
            web => web.MapGeoDashboard(),
            services: services =>
            {
                services.AddAuthentication(BearerTokenDefaults.AuthenticationScheme).AddBearerToken();
                services.AddAuthorization();
            });
        foreach (var path in Paths)
        {
            using var response = await application.Http.GetAsync(path, TestContext.Current.CancellationToken);
            Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        }
    }

    [Fact]
    public async Task An_application_without_authorization_serves_it_only_where_it_says_that_anybody_may_look()
    {
        await using var application = await StartAsync(web => web.MapGeoDashboard(), services: _ => { });
        using var response = await application.Http.GetAsync("/geo", TestContext.Current.CancellationToken);
        Assert.False(response.IsSuccessStatusCode);
    }

    [Fact]
    public async Task Without_its_data_it_is_not_mapped()
    {
        var builder = WebApplication.CreateEmptyBuilder(new());
        builder.WebHost.UseKestrelCore();
        builder.Services.AddRoutingCore();
        await using var web = builder.Build();

        var refused = Assert.Throws<GeoConfigurationException>(() => web.MapGeoDashboard());

        Assert.Contains("AddGeoAdministration", refused.Message);
    }

    private static Task<Application> StartAsync(
        Action<WebApplication> configure, ScriptedCluster? us = null, Action<IServiceCollection>? services = null,
        Action<GeoAdministrationOptions>? admin = null) =>
        Application.StartAsync(
            new() { Messenger = us ?? new ScriptedCluster(), Admin = admin ?? (_ => { }) }, configure,
            services ?? (added => added.AddAuthorization()));

    private static async Task<JsonElement> NextAsync(StreamReader events)
    {
        while (await events.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
            {
                return JsonDocument.Parse(line["data: ".Length..]).RootElement;
            }
        }

        throw new InvalidOperationException("The events ended.");
    }
}
