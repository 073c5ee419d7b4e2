using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

/// <summary>The pages of the documentation, and what is in them.</summary>
internal static class Page
{
    private static readonly string[] Folders =
        ["", "docs", .. Repository.Libraries.Select(library => $"src/{library}"), "samples/TpcwMini", "samples/WebShop"];

    /// <summary>All pages, from the root of the repository.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        .. Folders.SelectMany(folder => System.IO.Directory.GetFiles(Path.Combine(Repository.Root, folder), "*.md"))
            .Select(file => Path.GetRelativePath(Repository.Root, file).Replace('\\', '/')).Order(StringComparer.Ordinal),
    ];

    public static string[] Lines(string page) => File.ReadAllLines(Path.Combine(Repository.Root, page));

    public static IEnumerable<Block> Blocks(string page)
    {
        var lines = Lines(page);
        for (var i = 0; i < lines.Length; i++)
        {
            if (!lines[i].StartsWith("```", StringComparison.Ordinal))
            {
                continue;
            }

            var (open, language) = (i, lines[i][3..].Trim());
            while (lines[++i] != "```")
            {
            }

            var text = string.Concat(lines[(open + 1)..i].Select(line => line + "\n"));
            yield return new Block(page, open + 1, language, FileNamed(lines, open), text);
        }
    }

    // "`Program.cs`:" and an empty line stand before the fence.
    private static string? FileNamed(string[] lines, int fence) =>
        fence >= 2 && lines[fence - 1].Length == 0 && lines[fence - 2] is ['`', .. var file, '`', ':'] ? file : null;
}
