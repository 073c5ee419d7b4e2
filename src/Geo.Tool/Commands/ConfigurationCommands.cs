using System.CommandLine;
using System.Diagnostics;
using Geo.Administration;
using Geo.Tool.Connecting;
using Geo.Tool.Screens;
using Spectre.Console;

namespace Geo.Tool.Commands;

/// <summary>The commands about the clusters of a configuration store.</summary>
internal sealed class ConfigurationCommands(IAnsiConsole console, TextWriter errors, GeoCommands commands)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly Argument<string> _cluster = new("cluster") { Description = "The cluster." };

    private readonly Argument<string[]> _lost = new("clusters")
    {
        Description = "All clusters that are lost for ever.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Argument<string[]> _at = new("at")
    {
        Description = "Where silos of it are reached, host:port; none for one that only dials out.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    /// <summary><c>geo config</c>, and what it has below.</summary>
    public Command Config()
    {
        var config = new Command("config", "The clusters of the configuration store, and how far each has come.");
        commands.Do(config, async (client, _, token) =>
        {
            var answer = await DescribeAsync(client, token);
            return (answer, () => ConfigurationScreen.Show(console, answer), 0);
        });
        config.Subcommands.Add(Order("add", "Takes a cluster in whose silos run already.", _cluster, _at));
        config.Subcommands.Add(Order("remove", "Takes a cluster out: it leaves, gives up its grains, and has gone.", _cluster));
        config.Subcommands.Add(Order("reach", "Changes where a cluster is reached.", _cluster, _at));
        config.Subcommands.Add(Order("force", "Takes clusters out at once that are lost for ever. Make sure that none runs.", _lost));
        return config;
    }

    /// <summary><c>geo drain</c>.</summary>
    public Command Drain()
    {
        var without = new Option<double>("--patience")
        {
            Description = "Seconds without an answer after which nobody waits any more; the drain goes on by itself.",
            DefaultValueFactory = _ => 60,
        };
        var drain = new Command("drain", "Takes a cluster out, and waits until it holds no grains and has gone.") { _cluster, without };
        commands.Do(drain, async (client, parsed, token) =>
        {
            var cluster = parsed.GetValue(_cluster)!;
            var patience = parsed.GetValue(without) is >= 0 and <= 86_400 and var seconds
                ? TimeSpan.FromSeconds(seconds)
                : throw new ToolException("--patience takes 0 to 86400 seconds.");
            var answer = await DescribeAsync(client, token);
            if (StageOf(answer, cluster) is null or "outside")
            {
                return (answer, () => console.Line($"There is no cluster '{cluster}'."), EntryPoint.Refused);
            }

            if (StageOf(answer, cluster) != "leaving")
            {
                var done = await client.PostAsync<Done>($"geo/config/remove?cluster={Uri.EscapeDataString(cluster)}", token);
                if (!done.Applied)
                {
                    return (done, () => console.Line(done.Text), EntryPoint.Refused);
                }

                Tell(done.Text);
            }

            answer = await GoneAsync(client, cluster, patience, token);

            return (answer, () => console.Line($"'{cluster}' has gone; its silos can be stopped."), 0);
        });
        return drain;
    }

    // A silo that starts again, or is busy, is asked again: it leaves all the same.
    private async Task<ConfigurationAnswer> GoneAsync(AdminClient client, string cluster, TimeSpan patience, CancellationToken token)
    {
        string? told = null;
        for (var answered = Stopwatch.GetTimestamp(); ; await Task.Delay(Pause, token))
        {
            string now;
            try
            {
                var answer = await DescribeAsync(client, token);
                if (StageOf(answer, cluster) is null or "outside")
                {
                    return answer;
                }

                answered = Stopwatch.GetTimestamp();
                now = answer.Waiting ?? "Waiting.";
            }
            catch (ToolException e) when (Stopwatch.GetElapsedTime(answered) < patience)
            {
                now = $"{e.Message} It is asked again.";
            }

            if (now != told)
            {
                Tell(told = now);
            }
        }
    }

    // Not among the answers, which programs read.
    private void Tell(string progress) => errors.WriteLine(Words.Printable(progress));

    private static Task<ConfigurationAnswer> DescribeAsync(AdminClient client, CancellationToken token) =>
        client.GetAsync<ConfigurationAnswer>("geo/config", token);

    private static string? StageOf(ConfigurationAnswer answer, string cluster) =>
        answer.Clusters.FirstOrDefault(row => row.Cluster == cluster)?.Stage;

    private Command Order(string name, string description, params Argument[] arguments)
    {
        var command = new Command(name, description);
        Array.ForEach(arguments, command.Arguments.Add);
        commands.Do(command, async (client, parsed, token) =>
        {
            string[] clusters = arguments.Contains(_lost) ? parsed.GetValue(_lost)! : [parsed.GetValue(_cluster)!];
            string[] at = arguments.Contains(_at) ? parsed.GetValue(_at) ?? [] : [];
            var query = string.Join(
                '&', clusters.Select(c => $"cluster={Uri.EscapeDataString(c)}").Concat(at.Select(a => $"at={Uri.EscapeDataString(a)}")));
            var done = await client.PostAsync<Done>($"geo/config/{name}?{query}", token);
            return (done, () => console.Line(done.Text), done.Applied ? 0 : EntryPoint.Refused);
        });
        return command;
    }
}
