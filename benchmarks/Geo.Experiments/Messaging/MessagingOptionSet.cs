using System.CommandLine;
using System.IO.Enumeration;
using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Messaging;

/// <summary>What can be asked of the command <c>messaging</c>, and the plan that follows from it.</summary>
internal sealed class MessagingOptionSet
{
    private const int StandardReferenceRepeats = 2;

    private readonly Option<bool> _mustShow = new("--must-show")
    {
        Description = "Only the cells and variants of what Geo.Messaging promises beside plain sockets, and whether it holds.",
    };

    private readonly Option<bool> _matrixKeyValue =
        new("--matrix-kv") { Description = "Only the quorum store's matrix: the same as --only 'kv/*'." };

    private readonly Option<string[]> _only = new("--only")
    {
        Description = "Only these cells, by name with * as wildcard, for example echo/512KB/20ms/x128 or 'hol*'; may be repeated.",
    };

    private readonly Option<string[]> _variants = new("--variants")
    {
        Description = "Only variants whose name contains one of these, for example plain or 'geo, 1 lane'; may be repeated.",
    };

    private readonly Option<int> _lanes = Number("--lanes", 16, 1, 64, "What N is in 'N lanes' and 'N connections'.");
    private readonly Option<int> _repeats = Number(
        "--repeats", 5, 1, 100, "How often each variant runs; the variants of a cell take turns.");

    private readonly Option<int> _referenceRepeats =
        Number(
            "--reference-repeats", StandardReferenceRepeats, 0, 100,
            "With --must-show: in how many of the repeats runs what no limit is about, such as Orleans.");

    private readonly Option<int> _seconds = Number(
        "--seconds", 4, 1, 3600, "How long each run is measured; twice as long at 8 MB, 5 s at least at head of line.");
    private readonly Option<int> _warmUp = Number(
        "--warmup", 4, 0, 3600, "How long each run goes on before it is measured; less than 4 s shows slow start.");
    private readonly Option<string> _output =
        new("--output") { Description = "Where the raw data go.", DefaultValueFactory = _ => Path.Combine("artifacts", "messaging") };
    private readonly Option<string?> _resume =
        new("--resume") { Description = "Raw data of an earlier run: what is missing of the plan is run and added to them." };
    private readonly Option<bool> _delayLines =
        new("--delay-lines") { Description = "Delay lines on loopback in place of network namespaces, as without root." };
    private readonly Option<bool> _list = new("--list") { Description = "Print the cells and variants and do nothing." };
    private readonly Option<string[]> _table = new("--table")
    {
        Description = "Do nothing but print the tables of these raw data, as Markdown; of a cell in several files the last counts.",
        AllowMultipleArgumentsPerToken = true,
    };

    public void AddTo(Command command)
    {
        foreach (var option in (Option[])[_mustShow, _matrixKeyValue, _only, _variants, _lanes, _repeats, _referenceRepeats, _seconds,
            _warmUp, _output, _resume, _delayLines, _list, _table])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>True when the plan is only to be printed.</summary>
    public bool AsksForList(ParseResult parsed) => parsed.GetValue(_list);

    /// <summary>The raw data whose tables are asked for.</summary>
    public IReadOnlyList<string> TableOf(ParseResult parsed) => parsed.GetValue(_table) ?? [];

    /// <param name="parsed">What was asked.</param>
    /// <param name="hasOrleans">True when silos can be started here.</param>
    /// <param name="hasTunnels">True when network namespaces can be had here.</param>
    /// <exception cref="GeoConfigurationException">Nothing is left to run.</exception>
    public RunPlan PlanOf(ParseResult parsed, bool hasOrleans, bool hasTunnels)
    {
        var lanes = parsed.GetValue(_lanes);
        var useDelayLines = parsed.GetValue(_delayLines);
        var (only, names) = (parsed.GetValue(_only) ?? [], parsed.GetValue(_variants) ?? []);
        var cells = parsed.GetValue(_mustShow)
            ? MustShow.Cells(lanes)
            : [.. Cell.All.Select(cell => new PlannedCell(cell, Variant.Of(cell.Workload, lanes), []))];
        PlannedCell[] chosen =
        [
            .. from planned in cells
               where only.Length == 0 || only.Any(pattern => FileSystemName.MatchesSimpleExpression(pattern, planned.Cell.ToString()))
               where !parsed.GetValue(_matrixKeyValue) || planned.Cell.Workload == Workload.KeyValue
               let left = new PlannedCell(planned.Cell, Chosen(planned.Cell, planned.Variants), Chosen(planned.Cell, planned.References))
               where left.Variants.Count + left.References.Count > 0
               select left,
        ];
        if (chosen.Length == 0)
        {
            throw new GeoConfigurationException("No cell and variant is called so. See --list.");
        }

        var repeats = parsed.GetValue(_repeats);
        return new RunPlan(
            chosen,
            lanes,
            repeats,
            Math.Min(repeats, parsed.GetValue(_referenceRepeats)),
            parsed.GetValue(_warmUp),
            parsed.GetValue(_seconds),
            useDelayLines,
            parsed.GetValue(_output)!,
            parsed.GetValue(_resume));

        Variant[] Chosen(Cell cell, IEnumerable<Variant> variants) =>
        [
            .. variants.DistinctBy(variant => variant.Name)
                .Where(variant => names.Length == 0 || names.Any(part => variant.Name.Contains(part, StringComparison.OrdinalIgnoreCase)))
                .Where(
                    variant => variant.Stack != Stack.Orleans
                        || (hasOrleans && (cell.RoundTripMilliseconds == 0 || (hasTunnels && !useDelayLines)))),
        ];
    }

    private static Option<int> Number(string name, int standard, int least, int most, string description)
    {
        var option = new Option<int>(name) { Description = $"{description} {standard} by default.", DefaultValueFactory = _ => standard };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is var value && (value < least || value > most))
            {
                result.AddError($"{name} must be {least} to {most}, not {value}.");
            }
        });
        return option;
    }
}
