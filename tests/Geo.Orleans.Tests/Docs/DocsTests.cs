using Microsoft.Extensions.Hosting;

namespace Geo.Orleans.Tests.Docs;

public sealed class DocsTests
{
    [Fact]
    public async Task The_start_up_lines_of_the_readme_are_compiled_here()
    {
        var compiled = (await File.ReadAllLinesAsync(Copied("DocsTests.cs"), TestContext.Current.CancellationToken)).Select(WithoutComment)
            .ToHashSet();
        var readme = await File.ReadAllLinesAsync(Copied("README.md"), TestContext.Current.CancellationToken);

        var quoted = readme.SkipWhile(line => !line.StartsWith("builder.UseOrleans", StringComparison.Ordinal))
            .TakeWhile(line => line != "```").Select(WithoutComment).ToArray();

        Assert.Equal(5, quoted.Length);
        Assert.All(quoted, line => Assert.Contains(line, compiled));
    }

    // Compiled, never run.
    internal static void AsTheReadmeSays(IHostApplicationBuilder builder, IConditionalStore rows, IConditionalStore versions) =>
        builder.UseOrleans(silo => silo
            .UseLocalhostClustering()
            .UseGeo(geo => geo
                .UseRowStore(_ => rows)
                .AddStore(GeoStores.Default, _ => versions)));

    private static string WithoutComment(string line)
    {
        var comment = line.IndexOf(" //", StringComparison.Ordinal);
        return (comment < 0 ? line : line[..comment]).Trim();
    }

    private static string Copied(string file) => Path.Combine(AppContext.BaseDirectory, "Docs", file);
}
