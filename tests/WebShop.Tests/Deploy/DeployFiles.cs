using System.Diagnostics;
using System.Text.RegularExpressions;
using Geo.Packages.Tests.Docs;

namespace WebShop.Tests.Deploy;

/// <summary>The folder <c>deploy</c> of the checkout, and the programs that its files are for.</summary>
internal static class DeployFiles
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(4);

    public static string Root { get; } = FindRoot();

    public static string PathOf(string file) => Path.Combine(Root, "deploy", file);

    public static string Read(string file) => File.ReadAllText(PathOf(file));

    /// <summary>What docs/operations.md tells operators to do.</summary>
    public static string Runbook =>
        File.ReadAllText(Path.Combine(Root, "docs", "operations.md")).Split("\n## Runbook\n")[1].Split("\n## ")[0];

    /// <summary>What a page has its reader type, a block each.</summary>
    public static string[] ShellBlocks(string page) =>
        [.. Regex.Matches(page, @"(?<=^```sh\n)(?:(?!```).*\n)*", RegexOptions.Multiline).Select(block => block.Value)];

    /// <summary>What the comments of a file have its reader type, line after line: what is indented.</summary>
    public static string[] ShellComments(string file) =>
        [.. Regex.Matches(Read(file), @"(?:^#   .*\n)+", RegexOptions.Multiline)
            .Select(block => Regex.Replace(block.Value, "^#   ", "", RegexOptions.Multiline))];

    /// <summary>All that the pages and the folder have operators type, with the place where it stands.</summary>
    public static IEnumerable<(string Where, string Script)> ShellTexts() =>
    [
        .. PageCommand.Pages.SelectMany(page => ShellBlocks(File.ReadAllText(Path.Combine(Root, page))).Select(block => (page, block))),
        .. Ending("").SelectMany(file => ShellComments(file).Select(block => ($"deploy/{file}", block))),
    ];

    /// <summary>The block of the runbook that has a text.</summary>
    public static string RunbookBlock(string with) =>
        ShellBlocks(Runbook).Single(block => block.Contains(with, StringComparison.Ordinal));

    /// <summary>What the compose file says of a service.</summary>
    public static string ComposeService(string name) =>
        Regex.Match(Read("compose.yaml"), $@"(?<=\n  {name}:\n)(    .*\n)+").Value;

    /// <summary>A region's settings in the compose file, by their names in the configuration.</summary>
    public static IReadOnlyDictionary<string, string> ComposeSettings(string region) =>
        Regex.Matches(ComposeService(region), @"^      ((?:Urls|Geo|Admin)\w*): (.+)$", RegexOptions.Multiline).ToDictionary(
            match => match.Groups[1].Value.Replace("__", ":", StringComparison.Ordinal), match => match.Groups[2].Value.Trim('"'));

    /// <summary>Files by the end of their names, relative to the folder.</summary>
    public static IEnumerable<string> Ending(string end) =>
        System.IO.Directory.GetFiles(Path.Combine(Root, "deploy"), $"*{end}", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(Path.Combine(Root, "deploy"), file)).Order(StringComparer.Ordinal);

    public static bool Has(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
        .Any(folder => File.Exists(Path.Combine(folder, program)));

    /// <summary>Runs a program to its end; its exit code and all that it wrote.</summary>
    public static async Task<(int Code, string Output)> RunAsync(string program, params string[] arguments)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        using var process = Process.Start(
            new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var output = process.StandardOutput.ReadToEndAsync(limit.Token);
        var error = process.StandardError.ReadToEndAsync(limit.Token);
        await process.WaitForExitAsync(limit.Token);
        return (process.ExitCode, await output + await error);
    }

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Geo.sln")))
        {
            folder = Path.GetDirectoryName(folder)!;
        }

        return folder;
    }
}
