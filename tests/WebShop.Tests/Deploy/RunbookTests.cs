using System.Text.RegularExpressions;
using Geo.Packages.Tests.Docs;

namespace WebShop.Tests.Deploy;

/// <summary>
/// What pages tell operators to run, but for the tool <c>geo</c> (<see cref="AdminTests"/>) and programs that have tests of their own.
/// </summary>
public sealed partial class RunbookTests
{
    // The runbook's example of a region that is added and removed.
    private const string Added = "asia";

    private static readonly string[] Verbs = ["build", "exec", "start", "stop", "up"];

    [Fact]
    public void Compose_is_told_to_do_what_it_can_with_services_that_there_are()
    {
        var commands = PageCommand.All.Where(command => command.Words[0] == "docker").ToArray();
        var services = Service().Matches(DeployFiles.Read("compose.yaml").Split("\nvolumes:\n")[0]).Select(match => match.Groups[1].Value);

        Assert.True(commands.Length > 6, $"Only {commands.Length} commands were found.");
        foreach (var command in commands)
        {
            Assert.Equal(["docker", "compose", "-f", "deploy/compose.yaml"], command.Words[..4]);
            Assert.Contains(command.Words[4], Verbs);
            var named = command.Words[5..].Where(word => !word.StartsWith('-')).Take(command.Words[4] == "exec" ? 1 : int.MaxValue);
            Assert.Empty(named.Except([.. services, Added]));
        }
    }

    [Fact]
    public void Kubectl_is_asked_about_regions_and_objects_that_there_are()
    {
        var manifest = DeployFiles.Read("kubernetes/base/region.yaml");
        var commands = PageCommand.All.Where(command => command.Words[0] == "kubectl").ToArray();

        Assert.True(commands.Length > 2, $"Only {commands.Length} commands were found.");
        Assert.Contains("kind: StatefulSet\nmetadata:\n  name: webshop\n", manifest, StringComparison.Ordinal);
        Assert.All(commands, command => Assert.True(
            command.Words is ["kubectl", "-n", "us" or "eu" or Added, ..]
                && command.Words[3..] is ["scale", "statefulset", "webshop", "--replicas", "0"] or ["delete", "pod", "webshop-0"]
                    or ["port-forward", "webshop-0", _],
            $"{command}"));
    }

    [Fact]
    public void Every_script_is_there_and_has_the_option()
    {
        var commands = PageCommand.All.Where(command => command.Words[0].EndsWith(".sh", StringComparison.Ordinal)).ToArray();

        Assert.True(commands.Length > 6, $"Only {commands.Length} commands were found.");
        Assert.All(commands, command =>
        {
            var script = DeployFiles.Read(Path.GetFileName(command.Words[0]));
            Assert.All(
                command.Words.Where(word => word.StartsWith('-')),
                option => Assert.Contains($"{option} FOLDER", script, StringComparison.Ordinal));
        });
    }

    [GeneratedRegex("^  ([a-z]+):$", RegexOptions.Multiline)]
    private static partial Regex Service();
}
