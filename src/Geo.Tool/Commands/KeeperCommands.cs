using System.CommandLine;
using Geo.Administration;
using Geo.Tool.Screens;
using Spectre.Console;

namespace Geo.Tool.Commands;

/// <summary>The commands about the clusters that keep stores by majority.</summary>
internal sealed class KeeperCommands(IAnsiConsole console, GeoCommands commands)
{
    private readonly Argument<string> _store = new("store") { Description = "The store, by the name that AddQuorumStore gave it." };
    private readonly Argument<string> _cluster = new("cluster") { Description = "The cluster." };

    private readonly Argument<string[]> _lost = new("clusters")
    {
        Description = "All clusters that are lost for ever.",
        Arity = ArgumentArity.OneOrMore,
    };

    /// <summary><c>geo keepers</c>, and what it has below.</summary>
    public Command Keepers()
    {
        var keepers = new Command("keepers", "The clusters that keep each store by majority, and whether their last change is through.");
        commands.Do(keepers, async (client, _, token) =>
        {
            var answer = await client.GetAsync<KeepersAnswer>("geo/keepers", token);
            return (answer, () => KeepersScreen.Show(console, answer), 0);
        });
        keepers.Subcommands.Add(
            Order("add", "Has one cluster more keep a store, whose silos run with rows of their own for it.", _cluster));
        keepers.Subcommands.Add(Order("remove", "Has one cluster less keep a store: one that is to go, or has lost its rows.", _cluster));
        keepers.Subcommands.Add(
            Order("force", "Goes on without clusters that are lost for ever, where no majority is left. Make sure none runs.", _lost));
        return keepers;
    }

    private Command Order(string name, string description, Argument clusters)
    {
        var command = new Command(name, description) { _store, clusters };
        commands.Do(command, async (client, parsed, token) =>
        {
            string[] named = clusters == _lost ? parsed.GetValue(_lost)! : [parsed.GetValue(_cluster)!];
            var query = string.Join('&', named.Select(c => $"cluster={Uri.EscapeDataString(c)}"));
            var store = Uri.EscapeDataString(parsed.GetValue(_store)!);
            var done = await client.PostAsync<Done>($"geo/keepers/{name}?store={store}&{query}", token);
            return (done, () => console.Line(done.Text), done.Applied ? 0 : EntryPoint.Refused);
        });
        return command;
    }
}
