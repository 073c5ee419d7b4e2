using System.CommandLine;
using System.Globalization;
using Geo.Processes.Stores;
using Spectre.Console;
using TpcwMini.Clusters;
using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Commands;

/// <summary>The command line: what the user types, and the hidden roles in which this program starts itself again.</summary>
internal sealed class TpcwCommand
{
    private const string Program = "dotnet run -c Release --project samples/TpcwMini";

    private readonly Option<string> _host = Text(
        "--host", "embedded | orleans: what hosts the grains; Orleans where the build had it", Variant.Word(ThisHost.Kind));
    private readonly Option<string> _silos = Text("--silos", "Silos in each cluster, with --host orleans", 1);
    private readonly Option<string> _clusters = Text(
        "--clusters", "Clusters, each of processes of its own; the first is near the storage account", Defaults.Clusters);
    private readonly Option<string> _api = Text("--api", "basic | versioned", "versioned");
    private readonly Option<string> _state = Text("--state", "persistent | volatile", "persistent");
    private readonly Option<string> _instancing = Text(
        "--instancing", "single | multi: one instance of an item across all clusters, or one in each", "single");
    private readonly Option<string> _reads = Text(
        "--reads", "lin | mixed: linearizable operations everywhere, or only where a local one could oversell", "lin");
    private readonly Option<string> _robots = Text(
        "--robots",
        $"Customers, spread evenly over the clusters [default: {Defaults.Robots}, {Defaults.RegionRobots} with --cut, --add or --drain, or "
        + $"{Defaults.MatrixRobots} as the first load of --matrix]",
        "");
    private readonly Option<string> _seconds = Text(
        "--seconds",
        $"Measured time [default: {Defaults.Seconds}, {Defaults.RegionSeconds} with --cut, --add or --drain, or {Defaults.MatrixSeconds} "
        + "for each variant of --matrix]",
        "");
    private readonly Option<string> _warmup = Text("--warmup", "Seconds before the measured time", Defaults.Warmup);
    private readonly Option<string> _rtt = Text("--rtt", "Round trip between two clusters, in ms", Defaults.RttMs);
    private readonly Option<string> _items = Text("--items", "Items on sale", Defaults.Items);
    private readonly Option<string> _stock = Text(
        "--stock", "Stock of each item; auto sells about half of the items out near the end", "auto");
    private readonly Option<string> _store = Text("--store", "memory | sqlite: what keeps the storage account's values", "memory");
    private readonly Option<string> _storePath = Text(
        "--store-path", "File of --store sqlite; a new one that is deleted afterwards when not given", "");
    private readonly Option<string> _storeNear = Text(
        "--store-near", "Time of a storage operation from the first cluster, in ms", Defaults.StoreNearMs);
    private readonly Option<string> _storeFar = Text(
        "--store-far", "Time of a storage operation from the other clusters, in ms", Defaults.StoreFarMs);
    private readonly Option<string> _storeOps = Text(
        "--store-ops", "Operations a second that the storage account serves; more wait in line", Defaults.StoreOps);
    private readonly Option<string> _kill = Text(
        "--kill",
        "CLUSTER@SECOND, CLUSTER@SECOND-BACK or CLUSTER/SILO@SECOND: kill a cluster, or one silo of it, for example eu@10; "
            + "eu@6-13 brings it back",
        "");
    private readonly Option<string> _mode = Text(
        "--mode",
        "optimistic | pessimistic | quorum: what a single instance does while a region is silent; quorum needs three clusters",
        Variant.Word(SingleInstanceMode.Optimistic));
    private readonly Option<string> _cut = Text(
        "--cut", "CLUSTER@FROM:TO: cut a cluster off from all others, for example eu@10:20; several with commas between", "");
    private readonly Option<string> _add = Text(
        "--add", "CLUSTER@SECOND: a cluster that is not in --clusters is taken in while all run, for example asia@10", "");
    private readonly Option<string> _drain = Text(
        "--drain",
        "CLUSTER@SECOND: new orders of its customers go through another cluster, its single instances leave in order, and it stops",
        "");
    private readonly Option<string> _port = Text(
        "--port", "Silo number i, over all clusters, listens on this port + i; 0 takes free ports", 0);
    private readonly Option<string> _seed = Text("--seed", "Seed of the robots' choices", 1);
    private readonly Option<string> _json = Text("--json", "Also write the result to this file as JSON", "");
    private readonly Option<string> _html = Text(
        "--html", $"Where to write the report; a new file in {Defaults.ReportFolder} when not given", "");
    private readonly Option<bool> _matrix =
        new("--matrix") { Description = "Look for every variant's own peak, beside the paper's Figure 11" };
    private readonly Option<string> _account = Text(
        "--account", "both | throttled | latency: the storage account with --store-ops, or with its latency alone; of --matrix", "both");
    private readonly Option<string> _levels = Text("--levels", "How many loads --matrix tries of a variant", Defaults.MatrixLevels);
    private readonly Option<string> _repeats = Text("--repeats", "How many runs --matrix makes at the peak", Defaults.MatrixRepeats);
    private readonly Option<string> _minutes = Text(
        "--minutes", "After so many --matrix begins no further run; the same command goes on later", Defaults.MatrixMinutes);
    private readonly Option<string> _runs = Text("--runs", "Where --matrix keeps its runs, and goes on from", Defaults.MatrixFile);

    public RootCommand Create(IAnsiConsole console, string[] arguments)
    {
        var root = new RootCommand(
            "TPC-W-mini (GEO section 4.4): several clusters sell from one stock, and nothing is oversold. Without options: "
            + $"{Story.Robots} robots, of whose two regions one is killed and comes back. With any: a run as they and their defaults say.");
        foreach (var option in (Option[])[.. Shaping, _port, _seed, _json, _html])
        {
            root.Options.Add(option);
        }

        root.SetAction((parsed, cancellation) => Read(parsed, arguments) is var request && request.Options.Host == ThisHost.Kind
            ? new MainCommand(console).RunAsync(request, cancellation)
            : OrleansProgram.RunAsync(arguments, cancellation));
        root.Subcommands.Add(Hidden(ClusterRole.Name, ClusterRole.RunAsync));
        root.Subcommands.Add(Hidden(StoreRole.Name, StoreRole.RunAsync));
        return root;
    }

    /// <summary>The options that say what is run: without any of them the story is told.</summary>
    private Option[] Shaping =>
    [
        _api, _state, _instancing, _reads, _clusters, _robots, _seconds, _warmup, _rtt, _items, _stock, _store, _storePath, _storeNear,
        _storeFar, _storeOps, _kill, _mode, _cut, _add, _drain, _matrix, _host, _silos, _account, _levels, _repeats, _minutes, _runs,
    ];

    /// <summary>What a command line asks for.</summary>
    /// <exception cref="UsageException">It cannot be.</exception>
    internal Request Read(ParseResult parsed, string[] arguments)
    {
        var options = new RunOptions
        {
            Command = string.Join(' ', [Program, .. arguments.Length > 0 ? (string[])["--"] : [], .. arguments]),
            Clusters = OptionRules.ClusterNames(Value(_clusters)),
            Variant = new Variant(
                OptionRules.Choice<ItemApi>("--api", Value(_api)),
                OptionRules.Choice<ItemDurability>("--state", Value(_state)),
                OptionRules.Choice<ItemInstancing>("--instancing", Value(_instancing)),
                OptionRules.Choice<ReadPolicy>("--reads", Value(_reads))),
            Host = OptionRules.Choice<HostKind>("--host", Value(_host)),
            Silos = Whole(_silos, 1, 8),
            Robots = Value(_robots) != "" ? Whole(_robots, 1, RunOptions.MostRobots)
                : parsed.GetValue(_matrix) ? Defaults.MatrixRobots
                : IsAboutRegions() ? Defaults.RegionRobots
                : Defaults.Robots,
            Seconds = Value(_seconds) != "" ? Whole(_seconds, 1, 3600)
                : parsed.GetValue(_matrix) ? Defaults.MatrixSeconds
                : IsAboutRegions() ? Defaults.RegionSeconds
                : Defaults.Seconds,
            Warmup = Whole(_warmup, 0, 600),
            RttMs = OptionRules.Milliseconds(_rtt.Name, Value(_rtt)),
            Items = Whole(_items, 1, 100_000),
            Stock = Value(_stock) == "auto" ? 0 : Whole(_stock, 1, 1_000_000),
            Store = OptionRules.Choice<StoreKind>("--store", Value(_store)),
            StorePath = OrNull(_storePath),
            StoreNearMs = OptionRules.Milliseconds(_storeNear.Name, Value(_storeNear)),
            StoreFarMs = OptionRules.Milliseconds(_storeFar.Name, Value(_storeFar)),
            StoreOps = Whole(_storeOps, 1, RunOptions.NoCap),
            Mode = OptionRules.Choice<SingleInstanceMode>(_mode.Name, Value(_mode)),
            Kill = OrNull(_kill) is { } kill ? KillPlan.Parse(kill) : null,
            Cuts = OrNull(_cut) is { } cut ? CutPlan.ParseAll(cut) : [],
            Add = OrNull(_add) is { } add ? ChangePlan.Parse(_add.Name, add) : null,
            Drain = OrNull(_drain) is { } drain ? ChangePlan.Parse(_drain.Name, drain) : null,
            Port = Whole(_port, 0, 65_535),
            Seed = Whole(_seed, 0, int.MaxValue),
        };
        if (ThisHost.Kind == HostKind.Embedded && Shaping.All(option => parsed.GetResult(option) is null or { Implicit: true }))
        {
            options = options with
            {
                Variant = Story.Variant,
                Robots = Story.Robots,
                Seconds = Story.Seconds,
                Warmup = Story.Warmup,
                Stock = Story.Stock,
                Kill = Story.Kill,
            };
        }

        if (parsed.GetValue(_matrix) && (options.IsLive || options.Cuts.Count > 0))
        {
            throw new UsageException("--matrix looks for peaks of runs in which all regions stay: leave --cut, --add and --drain out.");
        }

        var plan = parsed.GetValue(_matrix)
            ? new MatrixPlan(
                OptionRules.Choice<AccountSetting>("--account", Value(_account)) switch
                {
                    AccountSetting.Throttled => [options.StoreOps],
                    AccountSetting.Latency => [RunOptions.NoCap],
                    _ => [options.StoreOps, RunOptions.NoCap],
                },
                Whole(_levels, 1, 100), Whole(_repeats, 1, 100), Whole(_minutes, 1, 10_000), Value(_runs))
            : null;
        return new Request(OptionRules.Check(options), plan, OrNull(_json), OrNull(_html));

        string Value(Option<string> option) => parsed.GetValue(option)!;
        string? OrNull(Option<string> option) => Value(option) is { Length: > 0 } value ? value : null;
        bool IsAboutRegions() => ((Option<string>[])[_cut, _add, _drain]).Any(option => OrNull(option) is not null);
        int Whole(Option<string> option, int least, int most) => OptionRules.Whole(option.Name, Value(option), least, most);
    }

    private static Option<string> Text(string name, string description, object value)
    {
        var text = Convert.ToString(value, CultureInfo.InvariantCulture)!;
        return new Option<string>(name) { Description = description, DefaultValueFactory = _ => text };
    }

    private static Command Hidden(string name, Func<Task<int>> run)
    {
        var command = new Command(name) { Hidden = true };
        command.SetAction((_, _) => run());
        return command;
    }
}
