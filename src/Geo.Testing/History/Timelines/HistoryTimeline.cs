using System.Globalization;
using System.Net;
using System.Text;

namespace Geo.Testing;

/// <summary>Operations of a history as bars over time, in one page that loads nothing: styles and pictures are part of it, scripts there
/// are none.</summary>
/// <param name="bars">What is drawn.</param>
/// <param name="caption">What was left out.</param>
internal sealed class HistoryTimeline(IReadOnlyList<TimelineBar> bars, string caption)
{
    private const int Column = 26;
    private const int Line = 26;
    private const int Margin = 140;

    private const string Style = """
        body { font: 14px sans-serif; margin: 24px; color: #222 }
        pre { background: #f5f5f5; padding: 12px; white-space: pre-wrap }
        .time { overflow-x: auto; border: 1px solid #ddd }
        text { font: 11px sans-serif }
        rect { stroke: #456; fill: #dbe7f3 }
        .culprit rect { stroke: #a00; fill: #f9d0d0 }
        .open rect { stroke-dasharray: 4 3; fill: #f4f4f4 }
        table { border-collapse: collapse; margin-top: 16px }
        td, th { border: 1px solid #ddd; padding: 2px 8px; text-align: left; font-size: 12px }
        .culprit td { background: #f9d0d0 }
        """;

    public string ToHtml(string title, string explanation)
    {
        var page = new StringBuilder();
        page.Append(CultureInfo.InvariantCulture, $"""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>{Encode(title)}</title>
            <style>
            {Style}
            </style></head><body>
            <h1>{Encode(title)}</h1>
            <pre>{Encode(explanation)}</pre>
            <p>{Encode(caption)}</p>

            """);
        if (bars.Count > 0)
        {
            Draw(page);
            List(page);
        }

        return page.Append("</body></html>").AppendLine().ToString();
    }

    private void Draw(StringBuilder page)
    {
        long[] places = [.. bars.SelectMany(b => b.ReturnedAt is { } end ? new[] { b.CalledAt, end } : [b.CalledAt]).Distinct().Order()];
        var columns = places.Index().ToDictionary(p => p.Item, p => p.Index);
        var right = Margin + (Column * (places.Length + 1));
        var drawing = new StringBuilder();
        var top = 0;
        foreach (var process in bars.GroupBy(b => b.Process).OrderBy(p => p.Key, StringComparer.Ordinal))
        {
            drawing.Append(CultureInfo.InvariantCulture, $"<text x=\"4\" y=\"{top + 17}\">{Encode(process.Key)}</text>").AppendLine();
            var lines = new List<long>();
            foreach (var bar in process.OrderBy(b => b.CalledAt))
            {
                var line = lines.FindIndex(end => end < bar.CalledAt);
                line = line >= 0 ? line : lines.Count;
                lines.RemoveRange(line, line < lines.Count ? 1 : 0);
                lines.Insert(line, bar.ReturnedAt ?? long.MaxValue);
                var x = Margin + (Column * columns[bar.CalledAt]);
                Draw(drawing, bar, x, top + (Line * line), (bar.ReturnedAt is { } end ? Margin + (Column * columns[end]) : right) - x);
            }

            top += (Line * lines.Count) + 8;
        }

        page.Append(CultureInfo.InvariantCulture, $"<div class=\"time\"><svg width=\"{right + 4}\" height=\"{top}\">").AppendLine()
            .Append(drawing).Append("</svg></div>").AppendLine();
    }

    private static void Draw(StringBuilder drawing, TimelineBar bar, int x, int y, int width) => drawing.Append(
        CultureInfo.InvariantCulture,
        $"""
        <g class="{Class(bar)}"><title>{Encode(Number(bar) + bar.Text)}</title><svg x="{x}" y="{y}" width="{width}" height="{Line - 4}">
        <rect x="0.5" y="0.5" width="{width - 1}" height="{Line - 5}"/><text x="4" y="15">{Encode(Number(bar) + bar.Text)}</text></svg></g>

        """);

    private void List(StringBuilder page)
    {
        page.AppendLine("<table><tr><th>order</th><th>process</th><th>from</th><th>to</th><th>operation</th><th>state after</th></tr>");
        foreach (var bar in bars.OrderBy(b => b.Place ?? int.MaxValue).ThenBy(b => b.CalledAt))
        {
            page.Append(CultureInfo.InvariantCulture, $"""
                <tr class="{Class(bar)}"><td>{(bar.Place is { } place ? $"{place}" : "-")}</td><td>{Encode(bar.Process)}</td>
                <td>{bar.CalledAt}</td><td>{(bar.ReturnedAt is { } end ? $"{end}" : "open")}</td>
                <td>{Encode(bar.Text)}</td><td>{Encode(bar.State ?? "")}</td></tr>

                """);
        }

        page.Append("</table>").AppendLine();
    }

    private static string Class(TimelineBar bar) => bar.IsCulprit ? "culprit" : bar.ReturnedAt is null ? "open" : "placed";

    private static string Number(TimelineBar bar) => bar.Place is { } place ? $"{place}: " : "";

    private static string Encode(string text) => WebUtility.HtmlEncode(text);
}
