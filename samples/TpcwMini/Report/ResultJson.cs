using System.Text.Json;

namespace TpcwMini.Report;

/// <summary>Writes results as JSON, in camel case.</summary>
internal static class ResultJson
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    private static readonly JsonSerializerOptions OfLine = new(JsonSerializerDefaults.Web);

    /// <summary>A run on one line.</summary>
    public static string WriteLine(RunResult result) => JsonSerializer.Serialize(result, OfLine);

    /// <summary>Reads a run back.</summary>
    /// <exception cref="JsonException">It is none.</exception>
    public static RunResult ReadLine(string line) =>
        JsonSerializer.Deserialize<RunResult>(line, OfLine) ?? throw new JsonException("A line is null.");

    public static string Write(RunResult result) => JsonSerializer.Serialize(result, Format);

    public static string Write(IReadOnlyList<RunResult> matrix)
    {
        var rows = MatrixRow.Of(matrix);
        return JsonSerializer.Serialize(
            new
            {
                passed = matrix.All(result => result.Passed),
                matrix = rows.Select(row => new
                {
                    variant = row.Name,
                    row.StepsPerSecond,
                    row.RatioToBasic,
                    paper = row.PaperRemark,
                    paperMiddleOfRange = row.PaperStepsPerSecond,
                    row.PaperRatioToBasic,
                }),
                runs = matrix,
            },
            Format);
    }
}
