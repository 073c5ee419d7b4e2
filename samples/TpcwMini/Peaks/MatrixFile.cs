using System.Text.Json;
using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Peaks;

/// <summary>The runs of a matrix as they are made, so that a later part goes on where an earlier one ended: a line of JSON each.</summary>
internal sealed class MatrixFile
{
    private readonly string _path;
    private readonly List<RunResult> _runs = [];

    /// <exception cref="UsageException">The file is there and cannot be read.</exception>
    public MatrixFile(string path)
    {
        _path = path;
        try
        {
            foreach (var line in File.Exists(path) ? File.ReadAllLines(path) : [])
            {
                _runs.Add(ResultJson.ReadLine(line));
            }
        }
        catch (Exception e) when (e is JsonException or IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"'{path}' is no file of matrix runs: {e.Message} Name another one with --runs, or remove it.");
        }
    }

    /// <summary>The runs of a row so far; those of other loads than the robots' number do not count.</summary>
    public IReadOnlyList<RunResult> Of(RunOptions row) => [.. _runs.Where(run => IsOf(run, row))];

    public void Add(RunResult run)
    {
        _runs.Add(run);
        ResultFile.Append(_path, ResultJson.WriteLine(run));
    }

    private static bool IsOf(RunResult run, RunOptions row) =>
        run.Variant == row.Variant && run.StoreOps == row.StoreOps && run.Host == Variant.Word(row.Host) && run.Silos == row.Silos
        && run.Clusters.SequenceEqual(row.Clusters) && run.Seconds == row.Seconds && run.Warmup == row.Warmup && run.Items == row.Items
        && run.RttMs.Equals(row.RttMs) && run.StoreNearMs.Equals(row.StoreNearMs) && run.StoreFarMs.Equals(row.StoreFarMs);
}
