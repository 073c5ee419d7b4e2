using System.Text.Json;
using Geo.Administration;
using Geo.Tool.Tests.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Tool.Tests.Dashboard;

/// <summary>The dashboard as a browser shows it: two regions over TCP, in headless Chromium.</summary>
public sealed class BrowserTests
{
    // Where set, the picture of the page is written there: docs/images/dashboard.png is made so.
    private const string PictureVariable = "GEO_WRITE_DASHBOARD_PICTURE";

    // Sections that hold more than they show.
    private const string CutOff =
        "[...document.querySelectorAll('section')].filter(s => s.scrollWidth > s.clientWidth).map(s => s.firstChild.textContent).join()";

    [Fact]
    public async Task The_page_shows_regions_and_what_is_wrong_as_it_happens_and_finds_a_grain()
    {
        Assert.SkipUnless(Browser.Absence is null, Browser.Absence ?? "");
        var us = await Region.StartAsync(new() { Cluster = "us", Other = "eu" });
        await using var eu = await Application.StartAsync(
            new() { OtherAddress = us.Silo.ListeningOn!.ToString() }, web => web.MapGeoDashboard().AllowAnonymous(),
            services => services.AddAuthorization());
        await using var browser = await Browser.StartAsync(width: 1000, height: 1630);
        await using (us)
        {
            await us.Grains.GetGrain<ICounter>("a").Add(1);
            await us.Grains.GetGrain<ICounter>("b").Add(1);
            Assert.Equal(0, (await us.RunAsync("move", "counter/b", "--to", "eu", "--reason", "less load")).ExitCode);
            await browser.GoToAsync(new Uri(eu.Http.BaseAddress!, "/geo"));
            await ShowsAsync(browser, "#map", text => text.Contains("eu") && text.Contains("us") && text.Contains(" ms"));
            await ShowsAsync(browser, "#findings", text => text == "Nothing.");
            await ShowsAsync(browser, "#links", text => text.Contains("us/"));
            Assert.Equal("2", await browser.ReadAsync("document.querySelectorAll('#map circle.good').length"));

            await FindAsync(browser, "counter/a");
            await ShowsAsync(browser, "#grain", text => text.StartsWith("counter/a: in us, on silo us/", StringComparison.Ordinal));
            await ShowsAsync(browser, "#views", text => text.Contains("Owned"));
            await ShowsAsync(browser, "#grain", text => text.Contains(", since 2"));
            await ShowsAsync(browser, "#history", text => text.Contains("Acquired, says us"));
            await ShowsAsync(browser, "#moves", text => text.Contains("counter/a") && text.Contains("MovedAway, says us"));
            await ShowsAsync(browser, "#unchanged", text => text.StartsWith("None", StringComparison.Ordinal));
            Assert.Equal("", await browser.ReadAsync(CutOff));
            if (Environment.GetEnvironmentVariable(PictureVariable) is { } file)
            {
                await File.WriteAllBytesAsync(file, await browser.TakePictureAsync(), TestContext.Current.CancellationToken);
            }
        }

        // The same page, not loaded again. What a region that is gone has told is gone with it.
        await ShowsAsync(browser, "#moves", text => text.Contains("Acquired, says eu") && !text.Contains("counter/a"));
        await ShowsAsync(browser, "#findings", text => text.Contains("region-down (us)"));
        await ShowsAsync(browser, "#clusters", text => text.Contains("no, for "));
        Assert.Equal("1", await browser.ReadAsync("document.querySelectorAll('#map circle.bad').length"));

        Assert.Empty(browser.Complaints);
        Assert.All(browser.Loaded, address => Assert.StartsWith(eu.Http.BaseAddress!.ToString(), address, StringComparison.Ordinal));
        Assert.Contains(browser.Loaded, address => address.EndsWith("/geo/events", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Markup_in_a_key_is_shown_as_text()
    {
        const string key = "counter/<img src=x onerror=document.title='run'>";
        Assert.SkipUnless(Browser.Absence is null, Browser.Absence ?? "");
        await using var eu = await Application.StartAsync(
            new() { Messenger = new ScriptedCluster() }, web => web.MapGeoDashboard().AllowAnonymous(),
            services => services.AddAuthorization());
        await using var browser = await Browser.StartAsync(width: 800, height: 600);
        await browser.GoToAsync(new Uri(eu.Http.BaseAddress!, "/geo"));
        await ShowsAsync(browser, "#findings", text => text.Length > 0);

        await FindAsync(browser, key);

        await ShowsAsync(browser, "#grain", text => text.Contains("<img src=x"));
        Assert.Equal("0", await browser.ReadAsync("document.querySelectorAll('img').length"));
        Assert.Equal("Geo", await browser.ReadAsync("document.title"));
    }

    private static async Task FindAsync(Browser browser, string key) => await browser.ReadAsync(
        $"document.getElementById('key').value = {JsonSerializer.Serialize(key)}; document.getElementById('find').click()");

    private static Task<string> ShowsAsync(Browser browser, string selector, Func<string, bool> expected) => Eventually.Is(
        () => browser.ReadAsync($"document.querySelector('{selector}')?.textContent ?? ''"), expected);
}
