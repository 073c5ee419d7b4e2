using System.Text.RegularExpressions;

namespace Geo.Packages.Tests.Docs;

/// <summary>A command line on a page of the documentation. Tests of the programs that pages run use this, too.</summary>
/// <param name="Page">The page, from the root of the repository.</param>
/// <param name="Line">Its line, the first is 1.</param>
/// <param name="IsMention">True in a sentence, which may leave arguments out.</param>
/// <param name="Words">The words, the program first.</param>
internal sealed partial record PageCommand(string Page, int Line, bool IsMention, string[] Words)
{
    private static readonly string[] Folders = ["", "docs", .. Below("src"), .. Below("samples")];

    /// <summary>All pages but the changelog, which may name what has gone since.</summary>
    public static IReadOnlyList<string> Pages { get; } =
    [
        .. Folders.SelectMany(folder => System.IO.Directory.GetFiles(Path.Combine(Root, folder), "*.md"))
            .Select(file => Path.GetRelativePath(Root, file).Replace('\\', '/')).Where(page => page != "CHANGELOG.md")
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Those of all pages.</summary>
    public static IReadOnlyList<PageCommand> All { get; } = [.. Pages.SelectMany(Read)];

    /// <summary>The checkout.</summary>
    public static string Root
    {
        get
        {
            var folder = AppContext.BaseDirectory;
            while (!File.Exists(Path.Combine(folder, "Geo.sln")))
            {
                folder = Path.GetDirectoryName(folder)!;
            }

            return folder;
        }
    }

    /// <summary>The commands that run a project of the repository, or the program that it is installed as, and what they give it.</summary>
    public static IEnumerable<(PageCommand Command, string[] Arguments)> Running(string project, string? program = null) =>
        from command in All
        let words = command.Words
        where words[0] == program || (words is ["dotnet", "run", ..] && command.After("--project") == project)
        select (command, words[0] == program ? words[1..] : [.. words.SkipWhile(word => word != "--").Skip(1)]);

    /// <summary>The word behind another one; null where there is none.</summary>
    public string? After(string word) => Words.SkipWhile(one => one != word).Skip(1).FirstOrDefault();

    public override string ToString() => $"{Page}:{Line}: {string.Join(' ', Words)}";

    private static IEnumerable<PageCommand> Read(string page)
    {
        var lines = File.ReadAllLines(Path.Combine(Root, page));
        var (isBlock, isShell, begun) = (false, false, "");
        for (var i = 0; i < lines.Length; i++)
        {
            if (lines[i].StartsWith("```", StringComparison.Ordinal))
            {
                (isBlock, isShell) = (!isBlock, !isBlock && lines[i][3..].Trim() is "" or "sh");
            }
            else if (isShell && lines[i].EndsWith(" \\", StringComparison.Ordinal))
            {
                begun += lines[i][..^1];
            }
            else
            {
                string[] told = !isBlock ? [.. Code().Matches(lines[i]).Select(match => match.Groups[1].Value)]
                    : isShell ? (begun + Comment().Replace(lines[i], "")).Split(" && ") : [];
                foreach (var words in told.Select(WordsOf).Where(words => words.Length > 0))
                {
                    yield return new(page, i + 1, !isBlock, words);
                }

                begun = "";
            }
        }
    }

    // Without the variables that stand before the program.
    private static string[] WordsOf(string line) =>
        [.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries).SkipWhile(word => Variable().IsMatch(word))];

    private static IEnumerable<string> Below(string folder) =>
        System.IO.Directory.GetDirectories(Path.Combine(Root, folder)).Select(one => Path.GetRelativePath(Root, one));

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Code();

    [GeneratedRegex(@"\s+#\s.*$")]
    private static partial Regex Comment();

    [GeneratedRegex("^[A-Za-z_]+=")]
    private static partial Regex Variable();
}
