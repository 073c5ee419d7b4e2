using System.Net;
using System.Net.Sockets;
using Geo.Storage.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Embedded.Tests.Docs;

public sealed class DocsTests
{
    [Theory]
    [InlineData("README.md")]
    [InlineData("docs/getting-started.md")]
    public async Task Every_line_of_code_in_the_documents_is_compiled_here(string document)
    {
        var compiled = new HashSet<string>();
        foreach (var file in new[] { "Stock.cs", "DocsTests.cs" })
        {
            compiled.UnionWith((await File.ReadAllLinesAsync(Copied(file), TestContext.Current.CancellationToken)).Select(WithoutComment));
        }

        var quoted = CodeLines(await File.ReadAllLinesAsync(Copied(document), TestContext.Current.CancellationToken)).ToArray();

        Assert.True(quoted.Length > 10, $"{document} holds {quoted.Length} lines of code.");
        Assert.All(quoted, line => Assert.Contains(line, compiled));
    }

    [Fact]
    public async Task A_newcomer_sells_from_the_stock_as_the_getting_started_page_says()
    {
        var (listen, gateway) = (FreePort(), FreePort());
        string[] args = ["--Geo:ClusterId=us", $"--Geo:ListenOn=127.0.0.1:{listen}", $"--Geo:Gateway=127.0.0.1:{gateway}"];
        var folder = System.IO.Directory.CreateTempSubdirectory("geo-docs-");
        try
        {
            await using var store = await OpenAsync(Path.Combine(folder.FullName, "stock.db"));
            var builder = Host.CreateApplicationBuilder(args);
            builder.UseGeoEmbedded(geo => geo.AddGrain<Stock>().AddStore(GeoStorage.Default, _ => store));
            using var silo = builder.Build();
            await silo.StartAsync(TestContext.Current.CancellationToken);

            var outside = Host.CreateApplicationBuilder([$"--GeoClient:Gateways:0=127.0.0.1:{gateway}"]);
            outside.UseGeoEmbeddedClient(_ => { });
            using var host = outside.Build();
            await host.StartAsync(TestContext.Current.CancellationToken);

            var stock = host.Services.GetRequiredService<IGrainFactory>().GetGrain<IStock>("blue-shirt");
            Assert.True(await stock.Sell("order-1"));
            Assert.Equal(99, await stock.Glance());

            await host.StopAsync(TestContext.Current.CancellationToken);
            await silo.StopAsync(TestContext.Current.CancellationToken);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<SqliteConditionalStore> OpenAsync(string path) =>
        await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = path });

    // The start-up lines of the documents, for which the test above has free ports and a folder of its own: compiled, never run.
    internal static async Task AsTheDocumentsSay(string[] args)
    {
        var store = await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = "stock.db" });
        var builder = Host.CreateApplicationBuilder(args);
        builder.UseGeoEmbedded(geo => geo.AddGrain<Stock>().AddStore(GeoStorage.Default, _ => store));
        using var silo = builder.Build();
        await silo.RunAsync();

        var outside = Host.CreateApplicationBuilder(args);
        outside.UseGeoEmbeddedClient(client => client.Configure(o => o.Gateways.Add("127.0.0.1:7101")));
        using var host = outside.Build();
        await host.StartAsync();

        var stock = host.Services.GetRequiredService<IGrainFactory>().GetGrain<IStock>("blue-shirt");
        Console.WriteLine(await stock.Sell("order-1"));
    }

    private static IEnumerable<string> CodeLines(IEnumerable<string> document)
    {
        var inside = false;
        foreach (var line in document)
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
            {
                inside = line == "```csharp";
            }
            else if (line.StartsWith("builder.UseOrleans", StringComparison.Ordinal))
            {
                // Compiled by the tests of Geo.Orleans.
                inside = false;
            }
            else if (inside && WithoutComment(line) is { Length: > 0 } code)
            {
                yield return code;
            }
        }
    }

    private static string WithoutComment(string line)
    {
        var comment = line.IndexOf(" //", StringComparison.Ordinal);
        return (comment < 0 ? line : line[..comment]).Trim();
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }

    private static string Copied(string file) => Path.Combine(AppContext.BaseDirectory, "Docs", Path.GetFileName(file));
}
