using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

/// <summary>
/// What pages tell to run is there. Whether a program takes its options is for the tests of that program: of the tool, of TpcwMini, of the
/// experiments, and of deploy.
/// </summary>
public sealed class CommandTests
{
    private static readonly string[] Verbs =
        ["add", "build", "exec", "format", "new", "nuget", "pack", "publish", "restore", "run", "test", "tool"];

    // By their tests, but for the benchmarks, whose options are BenchmarkDotNet's. The web shop takes settings, the other programs nothing.
    private static readonly string[] Asked =
        ["src/Geo.Tool", "samples/TpcwMini", "benchmarks/Geo.Experiments", "benchmarks/Geo.Benchmarks"];

    [Fact]
    public void Every_project_and_package_that_a_command_names_is_there()
    {
        var commands = PageCommand.All.Where(command => command.Words is ["dotnet", _, ..]).ToArray();

        Assert.True(commands.Length > 60, $"Only {commands.Length} commands were found.");
        Assert.Empty(commands.Where(command => !IsSound(command)).Select(command => command.ToString()));
    }

    [Fact]
    public void Options_are_given_to_programs_that_are_asked_whether_they_take_them()
    {
        var given = PageCommand.All.Where(command => command.Words is ["dotnet", "run", ..] && command.Words.Contains("--"));

        Assert.Empty(given.Where(command => command.After("--project") is not { } project
                || (!Asked.Contains(project) && !(project.StartsWith("samples/WebShop", StringComparison.Ordinal) && IsSetting(command))))
            .Select(command => command.ToString()));
    }

    private static bool IsSound(PageCommand command) => command.Words switch
    {
        ["dotnet", var verb, ..] when !Verbs.Contains(verb) => false,
        ["dotnet", "run", ..] => command.After("--project") is not { } project || IsProject(project),
        ["dotnet", "add", "package", var package] => Repository.Libraries.Contains(package) || !Repository.IsServed(package),
        ["dotnet", "tool", "install", "--global", var tool] => tool == Repository.Tool,
        ["dotnet", "build" or "test" or "publish" or "pack" or "format", ..] => command.Words[2..].Where(IsPlace)
            .All(word => IsProject(word) || File.Exists(Path.Combine(Repository.Root, word))),
        _ => true,
    };

    private static bool IsPlace(string word) =>
        (word.Contains('/', StringComparison.Ordinal) && char.IsLower(word[0])) || word.EndsWith(".sln", StringComparison.Ordinal);

    private static bool IsSetting(PageCommand command) =>
        command.Words.SkipWhile(word => word != "--").Skip(1).ToArray() is ["--environment", "us" or "eu"]
            or ["--environment", "us" or "eu", "--Dashboard=true"];

    private static bool IsProject(string folder) => System.IO.Directory.Exists(Path.Combine(Repository.Root, folder))
        && System.IO.Directory.GetFiles(Path.Combine(Repository.Root, folder), "*.csproj").Length == 1;
}
