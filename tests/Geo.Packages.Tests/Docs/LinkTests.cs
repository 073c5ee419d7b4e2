using System.Text.RegularExpressions;
using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

public sealed partial class LinkTests
{
    public static TheoryData<string> Pages => [.. Page.All];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Every_link_of_a_page_leads_to_a_file_and_a_heading_that_exist(string page)
    {
        var dead = Targets(page).Where(target => !Exists(page, target)).ToArray();

        Assert.True(dead.Length == 0, $"{page} has dead links: {string.Join(", ", dead)}");
    }

    [Fact]
    public void The_pages_name_folders_and_files_that_exist()
    {
        // The changelog may name what has gone since.
        var named = Page.All.Where(page => page != "CHANGELOG.md").SelectMany(page =>
            Page.Lines(page).SelectMany(line => NamedPath().Matches(line)).Select(match => (Page: page, Path: match.Value)));
        var missing = named.Where(name => !Path.Exists(Path.Combine(Repository.Root, name.Path)))
            .Select(name => $"{name.Page}: {name.Path}").ToArray();

        Assert.True(missing.Length == 0, string.Join(Environment.NewLine, missing));
    }

    private static IEnumerable<string> Targets(string page) =>
        Page.Lines(page).SelectMany(line => Link().Matches(line)).Select(match => match.Groups[1].Value)
            .Where(target => !target.Contains("://", StringComparison.Ordinal));

    private static bool Exists(string page, string target)
    {
        var parts = target.Split('#');
        var path = parts[0].Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, parts[0]);
        return Path.Exists(Path.Combine(Repository.Root, path)) && (parts.Length == 1 || Anchors(path).Contains(parts[1]));
    }

    private static HashSet<string> Anchors(string page) =>
    [
        .. Page.Lines(page).Where(line => line.StartsWith('#'))
            .Select(line => NotOfAnchor().Replace(line.TrimStart('#').Trim().ToLowerInvariant(), "").Replace(' ', '-')),
    ];

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotOfAnchor();

    [GeneratedRegex(@"(?<=[` (])(samples|src|tests|benchmarks|eng|docs)/[\w./-]*\w(?=[` ),;:]|\.?$)")]
    private static partial Regex NamedPath();
}
