using System.Globalization;

namespace Geo.Testing.Tests;

/// <summary>
/// A row of the table of mutations in docs/simulation.md: what is switched off, in which worlds, and the seeds that it takes.
/// </summary>
/// <param name="Name">
/// Rules (<see cref="ProtocolRule"/>), joined by +, or one compare-and-swap as the states that it leads from and to, joined by &gt;.
/// </param>
/// <param name="Worlds">The configuration.</param>
/// <param name="First">The first seed that breaks something.</param>
/// <param name="Within">Within how many seeds, wherever one begins, something must break.</param>
public sealed record Mutation(string Name, string Worlds, int First, int Within)
{
    private const string None = "-";

    private readonly List<CarelessRows> _careless = [];

    // Worlds in which a write of the mutation waits for another one that overtakes it: a slow store, at the worst place.
    private const string Held = ", held";

    // Longer than a caller waits for the store.
    private static readonly TimeSpan LongestHold = TimeSpan.FromSeconds(4);

    // Shorter than a silo that starts waits for its first lease.
    private static readonly TimeSpan LongestStart = TimeSpan.FromMilliseconds(500);

    /// <summary>The compare-and-swaps of the protocols: of rows, of leases, of the incarnation.</summary>
    public static readonly IReadOnlyList<string> Swaps =
    [
        "none>Requested", "Loser>Requested", "Doubtful>Requested", "Requested>Owned", "Requested>Doubtful", "Requested>Loser",
        "Requested>none",
        "Loser>Loser", "Loser>Doubtful", "Loser>none", "Owned>Owned", "Owned>none", "Doubtful>Doubtful", "Doubtful>none",
        "none>lease", "lease>lease", "lease>none", "none>fence", "lease>fence", "none>incarnation", "incarnation>incarnation",
    ];

    /// <summary>What of <see cref="ProtocolRule"/> and <see cref="Swaps"/> it switches off.</summary>
    public IReadOnlyList<string> Parts => Name.Split('+');

    /// <summary>The line that says what a measurement has found.</summary>
    public string Row(int? first) => $"| `{Name}` | {Worlds} | {(first is null ? "none" : first)} |";

    /// <summary>
    /// Within how many seeds something must break that breaks for the first time at that seed: ten times as many, and a hundred at least.
    /// Where one of so many breaks it, chance leaves out ten times as many in one of 20,000 cases.
    /// </summary>
    public static int WithinOf(int first) => Math.Max(100, 10 * first);

    /// <summary>What was measured, as docs/data/mutations.txt has it; each as <see cref="Row"/>.</summary>
    public static IReadOnlyList<string> Measured() =>
    [
        .. from line in Docs("data", "mutations.txt")
           where line.StartsWith("| `", StringComparison.Ordinal)
           select line[..(line.IndexOf("| of ", StringComparison.Ordinal) + 1)],
    ];

    /// <summary>The rows of the tables in docs/simulation.md.</summary>
    public static IReadOnlyList<Mutation> Table() =>
    [
        .. from line in Docs("simulation.md")
           where line.StartsWith("| `", StringComparison.Ordinal)
           let cells = line.Split('|', StringSplitOptions.TrimEntries)
           where cells.Length >= 6 && (cells[3] == None || int.TryParse(cells[3], out _))
           select cells[3] == None ? new Mutation(cells[1].Trim('`'), None, 0, 0)
               : new Mutation(cells[1].Trim('`'), cells[2], Number(cells[3]), Number(cells[4])),
    ];

    /// <summary>False for what the docs say is not found.</summary>
    public bool IsFound => Worlds != None;

    /// <summary>True where its writes wait for others that overtake them.</summary>
    public bool IsHeld => Worlds.EndsWith(Held, StringComparison.Ordinal);

    /// <summary>Runs one seed; null when nothing breaks.</summary>
    public string? Run(int seed) => Run(seed, compares: false);

    /// <summary>Runs one seed; null when nothing breaks.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="compares">True where nothing is switched off, and writes wait alone.</param>
    public string? Run(int seed, bool compares)
    {
        try
        {
            MultiClusterSimulation.Run(new SimulationSeed(seed), Options(compares));
            return null;
        }
        catch (SimulationException e)
        {
            return e.Message;
        }
    }

    /// <summary>How many of its writes others have overtaken in all runs so far.</summary>
    public int Overtaken => _careless.Sum(rows => rows.Overtaken);

    private static IEnumerable<string> Docs(params string[] path)
    {
        var root = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(root.FullName, "Geo.sln")))
        {
            root = root.Parent ?? throw new FileNotFoundException("Geo.sln is in no folder above the tests.");
        }

        return File.ReadLines(Path.Combine([root.FullName, "docs", .. path]));
    }

    private CarelessRows Careless(CarelessRows rows)
    {
        _careless.Add(rows);
        return rows;
    }

    private static int Number(string cell) => int.Parse(cell, NumberStyles.AllowThousands, CultureInfo.InvariantCulture);

    private MultiClusterSimulationOptions Options(bool compares)
    {
        var options = Worlds.Replace(Held, "", StringComparison.Ordinal) switch
        {
            "mixed" => new MultiClusterSimulationOptions(),
            var story when Enum.TryParse<StandardStory>(story, out var told) => new() { Story = told },
            _ => throw new FormatException($"docs/simulation.md has a mutation in '{Worlds}', which are no known worlds."),
        };
        return options with
        {
            SwitchOff = [.. Parts.Where(p => !p.Contains('>', StringComparison.Ordinal)).Select(Enum.Parse<ProtocolRule>)],
            BreakRows = Parts.Where(p => p.Contains('>', StringComparison.Ordinal)).Select(p => p.Split('>'))
                .ToArray() is { Length: > 0 } swaps
                ? rows => swaps.Aggregate(rows, (store, swap) => Careless(new(store, swap[0], swap[1], MaxHold(swap), compares)))
                : null,
        };
    }

    private TimeSpan MaxHold(string[] swap) => !IsHeld ? TimeSpan.Zero : swap is ["none", "lease"] ? LongestStart : LongestHold;
}
