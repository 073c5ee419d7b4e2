using System.Globalization;
using System.Text;

namespace Geo.Testing;

/// <summary>
/// Runs seeds of one kind of simulation until one fails, and says then how to see it again, as short as it could be made.
/// </summary>
/// <param name="run">Runs choices; with the trace's story when told to.</param>
/// <param name="build">Names the code that runs.</param>
/// <param name="shrink">What may be spent on a shorter schedule.</param>
internal sealed class Explorer(Func<Choices, bool, RunEnd> run, string build, ShrinkOptions shrink)
{
    // One of so many seeds runs twice, to show that chance alone decides.
    private const int RepeatEvery = 50;

    // How many of the last lines of a schedule are shown.
    private const int MaxStory = 60;

    /// <summary>Runs seeds, or what the environment asks to be replayed.</summary>
    /// <exception cref="SimulationException">A run failed, or two runs of one seed differed.</exception>
    public ExplorationReport Explore(IEnumerable<SimulationSeed> seeds)
    {
        if (Environment.GetEnvironmentVariable(ReplayFile.EnvironmentVariable) is { Length: > 0 } path)
        {
            return Replay(ReplayFile.Read(path));
        }

        var report = new ExplorationReport(0, 0, TimeSpan.Zero);
        foreach (var seed in seeds)
        {
            var end = RunSeed(seed);
            report = new(report.Seeds + 1, report.Steps + end.Steps, report.Time + end.At);
        }

        return report;
    }

    /// <summary>Runs one seed.</summary>
    /// <exception cref="SimulationException">The run failed, or a second one differed.</exception>
    public RunEnd RunSeed(SimulationSeed seed)
    {
        var end = run(new Choices(seed), false);
        if (end.Failure is null && seed.Value % RepeatEvery != 0)
        {
            return end;
        }

        var again = run(new Choices(seed), false);
        if (again.Hash != end.Hash)
        {
            throw new SimulationException(
                $"Seed {seed} is not deterministic: it {Describe(end)} first and {Describe(again)} then, with other traces. Something "
                + "takes chance, time or threads from the process, or shares state between runs.",
                end.Cause ?? again.Cause);
        }

        return end.Failure is null ? end : throw Failed(end);
    }

    private static string Describe(RunEnd end) =>
        end.Failure is null ? string.Create(CultureInfo.InvariantCulture, $"passed in {end.Steps} steps") : $"failed ({end.Failure})";

    private ExplorationReport Replay(ReplayFile file)
    {
        var end = run(new Choices(file.ToRecord()), true);
        var note = file.Build == build ? "" : " The file is of another build, which may choose differently.";
        return end.Failure is null
            ? new ExplorationReport(1, end.Steps, end.At)
            : throw new SimulationException($"{Headline(end)}{note}{Environment.NewLine}{Tell(end.Story)}", end.Cause);
    }

    private SimulationException Failed(RunEnd end)
    {
        var text = new StringBuilder(Headline(end))
            .Append(CultureInfo.InvariantCulture, $" Replay with {SimulationSeed.EnvironmentVariable}={end.Seed}.");
        var shrinker = new Shrinker(choices => run(choices, false), shrink);
        var shortest = shrinker.Shrink(end);
        var told = run(new Choices(shortest.Record), true);
        if (told.Failure is not null && told.Invariant == shortest.Invariant)
        {
            var path = ReplayFile.Write(shortest.Record, build);
            text.AppendLine().Append(
                    CultureInfo.InvariantCulture,
                    $"Made milder in {shrinker.Runs} runs, from {Choices(end)} choices to {Choices(shortest)}: {told.Failure} ")
                .Append(CultureInfo.InvariantCulture, $"Replay with {ReplayFile.EnvironmentVariable}={path} (build {build}).")
                .AppendLine().Append(Tell(told.Story));
        }

        return new SimulationException(text.ToString(), end.Cause);
    }

    private static int Choices(RunEnd end) => end.Record.Tapes.Values.Sum(t => t.Values.Count);

    private static string Headline(RunEnd end) => string.Create(
        CultureInfo.InvariantCulture, $"Seed {end.Seed} failed at {end.At.TotalSeconds:0.000} s, step {end.Steps}: {end.Failure}");

    private static string Tell(IReadOnlyList<string> story)
    {
        var left = story.Count - MaxStory;
        IEnumerable<string> shown = left > 0 ? [$"  (... {left} earlier)", .. story.Skip(left)] : story;
        return string.Join(Environment.NewLine, shown);
    }
}
