using System.CommandLine;
using System.Text.Json;
using Geo.Administration;
using Geo.Tool.Connecting;
using Geo.Tool.Screens;
using Spectre.Console;

namespace Geo.Tool.Commands;

/// <summary>The commands of the tool.</summary>
internal sealed class GeoCommands
{
    private readonly IAnsiConsole _console;
    private readonly ConnectionOptions _connection = new();
    private readonly Option<bool> _json = new("--json") { Description = "Prints the endpoint's answer as JSON.", Recursive = true };
    private readonly Argument<string> _key = new("key") { Description = "The grain, as type/key." };

    private readonly Option<string> _reason = new("--reason")
    {
        Description = "Why, for the log and the grain.",
        DefaultValueFactory = _ => "asked for with geo",
    };

    private GeoCommands(IAnsiConsole console) => _console = console;

    /// <summary>All commands.</summary>
    /// <param name="console">Where answers go.</param>
    /// <param name="errors">Where what happens on the way to an answer goes.</param>
    public static RootCommand Create(IAnsiConsole console, TextWriter errors) => new GeoCommands(console).CreateRoot(errors);

    private RootCommand CreateRoot(TextWriter errors)
    {
        var root = new RootCommand("Looks at the silos of Geo through the admin endpoint of one of them, and acts on them.");
        _connection.AddTo(root);
        root.Options.Add(_json);
        root.Subcommands.Add(Overview("status", "How the silo is, and what it thinks of the others.", OverviewScreens.Status));
        root.Subcommands.Add(Overview("clusters", "All clusters: round trips, versions, clocks, certificates.", OverviewScreens.Clusters));
        root.Subcommands.Add(Overview("links", "The silo's links with other clusters, and their queues.", OverviewScreens.Links));
        root.Subcommands.Add(Overview("lag", "What other clusters lack of coordination-free grains.", OverviewScreens.Lag));
        root.Subcommands.Add(Doctor());
        root.Subcommands.Add(Grain());
        root.Subcommands.Add(Doubtful());
        root.Subcommands.Add(Order("resolve", "Runs the round of a Doubtful grain again, now."));
        root.Subcommands.Add(Order("release", "Ends this cluster's instance of a grain; the next call places it anew.", _reason));
        root.Subcommands.Add(Move());
        root.Subcommands.Add(Watch());
        var configuration = new ConfigurationCommands(_console, errors, this);
        root.Subcommands.Add(configuration.Config());
        root.Subcommands.Add(configuration.Drain());
        root.Subcommands.Add(new KeeperCommands(_console, this).Keepers());
        return root;
    }

    private Command Overview(string name, string description, Action<IAnsiConsole, Overview> show)
    {
        var command = new Command(name, description);
        Do(command, async (client, _, token) =>
        {
            var overview = await client.GetAsync<Overview>("geo/overview", token);
            return (overview, () => show(_console, overview), 0);
        });
        return command;
    }

    private Command Doctor()
    {
        var within = new Option<double>("--within") { Description = "Seconds until it must have answered.", DefaultValueFactory = _ => 5 };
        var command = new Command("doctor", "Names what is wrong, and what to do. Ends with 2 where something is.") { within };
        Do(command, async (client, parsed, token) =>
        {
            client.Within = parsed.GetValue(within) is >= 0.1 and <= 3600 and var seconds
                ? TimeSpan.FromSeconds(seconds)
                : throw new ToolException("--within takes 0.1 to 3600 seconds.");
            var overview = await client.GetAsync<Overview>("geo/overview", token);
            return (overview.Findings, () => DoctorScreen.Show(_console, overview), overview.Findings.Count > 0 ? EntryPoint.Found : 0);
        });
        return command;
    }

    private Command Grain()
    {
        var command = new Command("grain", "Where a single-instance grain is, since when and why, and its moves, by every cluster's word.")
        {
            _key,
        };
        Do(command, async (client, parsed, token) =>
        {
            var answer = await client.GetAsync<GrainAnswer>($"geo/grain?key={Escaped(parsed, _key)}", token);
            return (answer, () => GrainScreens.Grain(_console, answer), 0);
        });
        return command;
    }

    private Command Doubtful()
    {
        var after = new Option<string?>("--after") { Description = "Goes on behind a page: what that named." };
        var command = new Command("doubtful", "The cluster's grains without an established owner, a page at a time.") { after };
        Do(command, async (client, parsed, token) =>
        {
            var page = await client.GetAsync<DoubtfulPage>(
                $"geo/doubtful?after={Uri.EscapeDataString(parsed.GetValue(after) ?? "")}", token);
            return (page, () => GrainScreens.Doubtful(_console, page), 0);
        });
        return command;
    }

    private Command Move()
    {
        var to = new Option<string>("--to") { Description = "The cluster that is to have it.", Required = true };
        var command = Order("move", "Releases a grain of this cluster and has another one take it.", _reason, to);
        return command;
    }

    private Command Order(string name, string description, params Option<string>[] options)
    {
        var command = new Command(name, description) { _key };
        foreach (var option in options)
        {
            command.Options.Add(option);
        }

        Do(command, async (client, parsed, token) =>
        {
            var rest = options.Select(option => $"&{option.Name.TrimStart('-')}={Uri.EscapeDataString(parsed.GetValue(option) ?? "")}");
            var done = await client.PostAsync<Done>($"geo/{name}?key={Escaped(parsed, _key)}{string.Concat(rest)}", token);
            return (done, () => _console.Line(done.Text), done.Applied ? 0 : EntryPoint.Refused);
        });
        return command;
    }

    private Command Watch()
    {
        var every = new Option<double>("--every") { Description = "Seconds between two looks.", DefaultValueFactory = _ => 1 };
        var count = new Option<int?>("--count") { Description = "How many looks; without end by default." };
        var command = new Command("watch", "Shows the status again and again, until it is stopped.") { every, count };
        command.SetAction(async (parsed, token) =>
        {
            var pause = parsed.GetValue(every) is >= 0.1 and <= 3600 and var seconds
                ? TimeSpan.FromSeconds(seconds)
                : throw new ToolException("--every takes 0.1 to 3600 seconds.");
            using var client = _connection.Open(parsed);
            var answered = true;
            try
            {
                for (var left = parsed.GetValue(count) ?? int.MaxValue; left > 0; left--)
                {
                    answered = await LookAsync(client, parsed.GetValue(_json), token);
                    await Task.Delay(left > 1 ? pause : TimeSpan.Zero, token);
                }
            }
            catch (OperationCanceledException) when (token.IsCancellationRequested)
            {
                // That is how a watch without a count ends.
            }

            return answered ? 0 : EntryPoint.Refused;
        });
        return command;
    }

    // False where nothing answered: a silo that restarts is looked at again when it is back.
    private async Task<bool> LookAsync(AdminClient client, bool asJson, CancellationToken token)
    {
        object seen;
        try
        {
            seen = await client.GetAsync<Overview>("geo/overview", token);
        }
        catch (ToolException e)
        {
            seen = new Fault(e.Message);
        }

        if (asJson)
        {
            PrintLine(seen);
        }
        else if (seen is Overview overview)
        {
            _console.Clear(home: true);
            OverviewScreens.Status(_console, overview);
        }
        else
        {
            _console.Clear(home: true);
            _console.Line(((Fault)seen).Error);
        }

        return seen is Overview;
    }

    /// <summary>Has a command ask the endpoint, and show the answer or print it.</summary>
    public void Do(
        Command command, Func<AdminClient, ParseResult, CancellationToken, Task<(object Answer, Action Show, int ExitCode)>> ask) =>
        command.SetAction(async (parsed, token) =>
        {
            using var client = _connection.Open(parsed);
            var (answer, show, exitCode) = await ask(client, parsed, token);
            if (parsed.GetValue(_json))
            {
                PrintLine(answer);
            }
            else
            {
                show();
            }

            return exitCode;
        });

    // Past the console, which would break lines.
    private void PrintLine(object answer) =>
        _console.Profile.Out.Writer.WriteLine(JsonSerializer.Serialize(answer, answer.GetType(), AdminJson.Options));

    private static string Escaped(ParseResult parsed, Argument<string> argument) =>
        Uri.EscapeDataString(parsed.GetValue(argument) is { } key && key.IndexOf('/', StringComparison.Ordinal) is > 0
            ? key
            : throw new ToolException($"'{parsed.GetValue(argument)}' is no grain: name it as type/key, for example cart/42."));
}
