using System.Net;
using System.Net.Http.Headers;
using Geo.Messaging.Tests;
using Geo.Tool.Tests.Kit;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Geo.Tool.Tests.Endpoint;

public sealed class EndpointTests
{
    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("Bearer")]
    [InlineData("Bearer ")]
    [InlineData("Basic x")]
    [InlineData("Bearer 0123456789012345678901234567890123456789")]
    public async Task Without_the_key_nothing_is_served_whatever_is_asked(string? authorization)
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });
        using var http = new HttpClient { BaseAddress = eu.Admin };
        foreach (var path in new[] { "geo/overview", "geo/grain?key=counter/a", "nothing" })
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path);
            if (authorization is not null)
            {
                request.Headers.TryAddWithoutValidation("Authorization", authorization);
            }

            using var response = await http.SendAsync(request, TestContext.Current.CancellationToken);
            Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        }
    }

    [Fact]
    public async Task A_key_with_more_or_less_than_itself_is_wrong_and_questions_are_no_orders()
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });
        using var http = new HttpClient { BaseAddress = eu.Admin };

        Assert.Equal(HttpStatusCode.Unauthorized, await AskAsync(http, HttpMethod.Get, "geo/overview", Region.Key[..^1]));
        Assert.Equal(HttpStatusCode.Unauthorized, await AskAsync(http, HttpMethod.Get, "geo/overview", Region.Key + "0"));
        Assert.Equal(HttpStatusCode.OK, await AskAsync(http, HttpMethod.Get, "geo/overview", Region.Key));
        Assert.Equal(HttpStatusCode.NotFound, await AskAsync(http, HttpMethod.Get, "geo/release?key=counter/a&reason=x", Region.Key));
        Assert.Equal(HttpStatusCode.BadRequest, await AskAsync(http, HttpMethod.Post, "geo/release?key=counter/a", Region.Key));
        Assert.Equal(HttpStatusCode.BadRequest, await AskAsync(http, HttpMethod.Get, "geo/grain?key=nonsense", Region.Key));
    }

    [Fact]
    public void What_anybody_can_cause_is_logged_once_in_ten_seconds_with_how_often_it_was_not()
    {
        var time = new Geo.Testing.VirtualTime();
        var refusals = new Geo.Administration.Occasionally(time);

        Assert.True(refusals.IsDue(out var others));
        Assert.Equal(0, others);
        Assert.False(refusals.IsDue(out _));
        Assert.False(refusals.IsDue(out _));
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.True(refusals.IsDue(out others));
        Assert.Equal(2, others);
    }

    [Fact]
    public void A_certificate_that_has_changed_is_read_again_and_one_that_cannot_be_used_is_not_taken()
    {
        using var authority = new TestAuthority();
        var files = authority.Issue("eu");
        var time = new Geo.Testing.VirtualTime();
        var certificate = new Geo.Administration.EndpointCertificate(
            files.CertificateFile, files.KeyFile, time, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance);
        var first = certificate.Current().Thumbprint;

        authority.Issue("eu");
        File.SetLastWriteTimeUtc(files.CertificateFile, DateTime.UtcNow.AddMinutes(1));
        Assert.Equal(first, certificate.Current().Thumbprint);
        time.Advance(TimeSpan.FromSeconds(10));
        var second = certificate.Current().Thumbprint;
        Assert.NotEqual(first, second);

        File.WriteAllText(files.CertificateFile, "nothing");
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(second, certificate.Current().Thumbprint);
    }

    [Fact]
    public async Task With_a_certificate_it_speaks_TLS_which_the_tool_checks()
    {
        using var authority = new TestAuthority();
        var files = authority.Issue("eu");
        await using var eu = await Region.StartAsync(new()
        {
            Messenger = new ScriptedCluster(),
            Admin = admin =>
            {
                admin.ListenOn = "127.0.0.1:0";
                (admin.CertificateFile, admin.CertificateKeyFile) = (files.CertificateFile, files.KeyFile);
            },
        });

        Assert.Equal("https", eu.Admin.Scheme);
        Assert.Equal(0, (await eu.RunAsync("status", "--authority", files.AuthorityFile)).ExitCode);
        var unknown = await eu.RunAsync("status");
        Assert.Equal(EntryPoint.Refused, unknown.ExitCode);
        Assert.Contains("cannot be reached", unknown.Errors);
    }

    [Theory]
    [InlineData("0123456789012345678901234567890", "127.0.0.1:0", "Key must have 32 bytes")]
    [InlineData("", "127.0.0.1:0", "Key")]
    [InlineData("01234567890123456789012345678901 2", "127.0.0.1:0", "without white space")]
    [InlineData("01234567890123456789012345678901", "0.0.0.0:0", "give CertificateFile")]
    [InlineData("01234567890123456789012345678901", "localhost", "is no address")]
    [InlineData("01234567890123456789012345678901", "127.0.0.1", "names no port")]
    [InlineData("01234567890123456789012345678901", "::1", "names no port")]
    [InlineData("01234567890123456789012345678901", "[::1]", "names no port")]
    [InlineData("01234567890123456789012345678901", "7300", "names no port")]
    public async Task Settings_that_cannot_be_end_the_start(string key, string listenOn, string expected)
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => Region.StartAsync(new()
        {
            Messenger = new ScriptedCluster(),
            Admin = admin => (admin.Key, admin.ListenOn) = (key, listenOn),
        }));

        Assert.Contains(expected, refused.Message);
    }

    [Fact]
    public async Task Stores_that_are_asked_for_no_longer_than_a_slow_one_takes_end_the_start()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => Region.StartAsync(new()
        {
            Messenger = new ScriptedCluster(),
            Health = health => health.SlowStore = TimeSpan.FromSeconds(2),
            Admin = admin => admin.AnswerTimeout = TimeSpan.FromSeconds(2),
        }));

        Assert.Contains("AnswerTimeout (00:00:02) must be longer than SlowStore (00:00:02)", refused.Message);
    }

    [Fact]
    public async Task Signals_to_the_process_are_its_own_hosts_alone()
    {
        using var log = new LogLines();
        await using var eu = await Region.StartAsync(new()
        {
            Messenger = new ScriptedCluster(),
            Geo = geo => geo.Services.AddLogging(logging => logging.AddProvider(log)),
        });

        // Whoever listens for them says so.
        Assert.Single(log.All, line => line.Contains("Ctrl+C", StringComparison.Ordinal));
    }

    private static async Task<HttpStatusCode> AskAsync(HttpClient http, HttpMethod method, string path, string key)
    {
        using var request = new HttpRequestMessage(method, path);
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", key);
        using var response = await http.SendAsync(request, TestContext.Current.CancellationToken);
        return response.StatusCode;
    }
}
