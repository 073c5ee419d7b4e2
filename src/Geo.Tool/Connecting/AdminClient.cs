using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Geo.Administration;

namespace Geo.Tool.Connecting;

/// <summary>Asks the admin endpoint of one silo.</summary>
internal sealed class AdminClient : IDisposable
{
    // Moves take longer than an endpoint waits for others by default.
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly HttpClient _http;

    /// <exception cref="ToolException">The authority's file, or the key, cannot be used.</exception>
    public AdminClient(Uri address, string key, string? authorityFile)
    {
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = !address.IsLoopback };
        if (authorityFile is not null)
        {
            handler.SslOptions.CertificateChainPolicy = Trusting(authorityFile);
        }

        _http = new HttpClient(handler) { BaseAddress = address, Timeout = Limit };
        try
        {
            _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        }
        catch (FormatException e)
        {
            throw new ToolException("The key has characters that cannot be sent.", e);
        }
    }

    /// <summary>How long an answer is waited for; to be set before the first question.</summary>
    public TimeSpan Within
    {
        get => _http.Timeout;
        set => _http.Timeout = value;
    }

    /// <summary>Puts a question.</summary>
    /// <exception cref="ToolException">The endpoint cannot be reached, or does not serve it; the message says why.</exception>
    public Task<T> GetAsync<T>(string path, CancellationToken cancellationToken) =>
        SendAsync<T>(new HttpRequestMessage(HttpMethod.Get, path), cancellationToken);

    /// <summary>Gives an order.</summary>
    /// <exception cref="ToolException">The endpoint cannot be reached, or does not serve it; the message says why.</exception>
    public Task<T> PostAsync<T>(string path, CancellationToken cancellationToken) =>
        SendAsync<T>(new HttpRequestMessage(HttpMethod.Post, path), cancellationToken);

    public void Dispose() => _http.Dispose();

    private async Task<T> SendAsync<T>(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await _http.SendAsync(request, cancellationToken);
            if (response.IsSuccessStatusCode)
            {
                return await response.Content.ReadFromJsonAsync<T>(AdminJson.Options, cancellationToken)
                    ?? throw new ToolException($"{_http.BaseAddress} answered nothing.");
            }

            var fault = await response.Content.ReadFromJsonAsync<Fault>(AdminJson.Options, cancellationToken);
            throw new ToolException($"{_http.BaseAddress} refuses: {fault?.Error ?? response.StatusCode.ToString()}");
        }
        catch (HttpRequestException e)
        {
            throw new ToolException(
                $"{_http.BaseAddress} cannot be reached: {e.InnerException?.Message ?? e.Message}", e);
        }
        catch (JsonException e)
        {
            throw new ToolException($"{_http.BaseAddress} answers, but not as an admin endpoint of this version of Geo does.", e);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ToolException($"{_http.BaseAddress} did not answer within {_http.Timeout.TotalSeconds} s.", e);
        }
        finally
        {
            request.Dispose();
        }
    }

    private static X509ChainPolicy Trusting(string file)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        try
        {
            policy.CustomTrustStore.ImportFromPemFile(file);
            return policy;
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new ToolException($"The authority's file '{file}' cannot be used: {e.Message}", e);
        }
    }
}
