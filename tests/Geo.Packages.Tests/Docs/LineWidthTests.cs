using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

public sealed class LineWidthTests
{
    private static readonly string[] Folders = ["src", "tests", "samples", "benchmarks"];

    [Fact]
    public void No_line_of_the_code_has_more_than_140_characters()
    {
        var files = Folders.SelectMany(Repository.SourcesIn).ToArray();
        var wide = files.SelectMany(file => File.ReadLines(file).Index().Where(line => line.Item.Length > 140)
            .Select(line => $"{Path.GetRelativePath(Repository.Root, file)}:{line.Index + 1} has {line.Item.Length}")).ToArray();

        Assert.True(files.Length > 2000, $"Only {files.Length} files were found.");
        Assert.True(wide.Length == 0, $"Lines of more than 140 characters: {string.Join(Environment.NewLine, wide.Prepend(""))}");
    }
}
