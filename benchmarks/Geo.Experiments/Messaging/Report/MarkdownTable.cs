using System.Text;

namespace Geo.Experiments.Messaging.Report;

/// <summary>A table as text for a page.</summary>
internal static class MarkdownTable
{
    /// <param name="columns">The columns' names; all but the first few are aligned to the right.</param>
    /// <param name="texts">How many columns hold text.</param>
    /// <param name="rows">The rows, a cell for every column.</param>
    public static string Of(IReadOnlyList<string> columns, int texts, IEnumerable<IReadOnlyList<string>> rows)
    {
        var table = new StringBuilder().Append(Line(columns))
            .Append(Line([.. columns.Select((_, place) => place < texts ? "---" : "---:")]));
        foreach (var row in rows)
        {
            table.Append(Line(row));
        }

        return table.ToString();
    }

    private static string Line(IReadOnlyList<string> cells) =>
        $"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|", StringComparison.Ordinal)))} |\n";
}
