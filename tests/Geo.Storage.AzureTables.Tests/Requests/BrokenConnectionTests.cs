using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Geo.Storage.AzureTables.Tests.Requests;

/// <summary>
/// A real connection that is kept and then breaks after a request: .NET's HTTP client takes that for a connection that was closed before,
/// and sends what has no content again by itself.
/// </summary>
public sealed class BrokenConnectionTests
{
    [Theory]
    [InlineData("DELETE")]
    [InlineData("PUT")]
    [InlineData("POST")]
    public async Task A_write_whose_kept_connection_breaks_is_unknown_and_sent_once(string method)
    {
        var stop = TestContext.Current.CancellationToken;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stop);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var requests = new List<string>();
        var serving = ServeAsync(listener, method, requests, over.Token);
        using var store = new AzureTableConditionalStore(new AzureTableStoreOptions
        {
            Endpoint = new Uri($"http://{listener.LocalEndpoint}"),
            Table = "rows",
            SharedKey = new AzureTableSharedKey("account", "a2V5"),
        });

        var write = await (method == "DELETE"
            ? store.DeleteAsync("k", new ETag("W/\"1\""), stop)
            : store.WriteAsync("k", default, method == "PUT" ? new ETag("W/\"1\"") : null, stop));
        await over.CancelAsync();
        await serving;

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Equal(1, requests.Count(request => request.StartsWith($"{method} /rows", StringComparison.Ordinal)));
    }

    /// <summary>Says that the table is there on a connection that it keeps, and breaks the connection at the next request.</summary>
    private static async Task ServeAsync(TcpListener listener, string method, List<string> requests, CancellationToken stop)
    {
        try
        {
            while (true)
            {
                using var connection = await listener.AcceptTcpClientAsync(stop);
                var stream = connection.GetStream();
                var buffer = new byte[64 * 1024];
                while (await stream.ReadAsync(buffer, stop) is > 0 and var read)
                {
                    var request = Encoding.ASCII.GetString(buffer, 0, read);
                    requests.Add(request);
                    if (request.StartsWith($"{method} /rows", StringComparison.Ordinal))
                    {
                        break;
                    }

                    if (request.Contains("/Tables", StringComparison.Ordinal))
                    {
                        await stream.WriteAsync("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"u8.ToArray(), stop);
                    }
                }
            }
        }
        catch (Exception e) when (e is OperationCanceledException or IOException)
        {
            // The test is over.
        }
    }
}
