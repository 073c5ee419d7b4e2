using System.Text.Json;

namespace TpcwMini.Report;

/// <summary>Writes results as JSON, in camel case.</summary>
internal static class ResultJson
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web) { WriteIndented = true };

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
