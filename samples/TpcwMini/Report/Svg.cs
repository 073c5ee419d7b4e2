using System.Globalization;
using System.Net;
using System.Text;

namespace TpcwMini.Report;

/// <summary>Small plots as inline SVG. Colours come from the page's style sheet, so that they suit a light and a dark page.</summary>
internal static class Svg
{
    private const double Width = 760;
    private const double Left = 64;
    private const double Right = 16;

    /// <summary>One line for each series over the seconds of a run.</summary>
    /// <param name="title">Read out by screen readers.</param>
    /// <param name="series">Name and one value for each second.</param>
    /// <param name="warmup">Seconds shaded as warm-up.</param>
    /// <param name="marks">Seconds to mark, with their labels.</param>
    /// <param name="colours">The colour of each series; where null, each has the next one.</param>
    public static string Lines(
        string title, IReadOnlyList<(string Name, IReadOnlyList<long> Values)> series, int warmup,
        IReadOnlyList<(double Second, string Label)> marks, IReadOnlyList<int>? colours = null)
    {
        colours ??= [.. Enumerable.Range(0, series.Count)];
        const double top = 12;
        const double height = 240;
        const double bottom = 40;
        var seconds = series.Max(one => one.Values.Count);
        var most = NiceCeiling(series.Max(one => one.Values.Count == 0 ? 0 : one.Values.Max()));
        var svg = Open(title, height + top + bottom);
        var right = Width - Right;
        double X(double second) => Left + ((right - Left) * second / Math.Max(1, seconds - 1));
        double Y(double value) => top + (height * (1 - (value / most)));

        if (warmup > 0)
        {
            var width = X(Math.Min(warmup, seconds - 1)) - Left;
            svg.Append(Text($"""<rect class="warmup" x="{Left:0.#}" y="{top}" width="{width:0.#}" height="{height}"/>"""));
            svg.Append(Text($"""<text class="note" x="{Left + 4:0.#}" y="{top + 14:0.#}">warm-up</text>"""));
        }

        for (var i = 0; i <= 4; i++)
        {
            var value = most * i / 4;
            svg.Append(Text($"""<line class="grid" x1="{Left}" x2="{right}" y1="{Y(value):0.#}" y2="{Y(value):0.#}"/>"""));
            svg.Append(Text($"""<text class="tick end" x="{Left - 8}" y="{Y(value) + 4:0.#}">{value:#,0}</text>"""));
        }

        var every = Math.Max(1, (int)NiceCeiling(seconds / 10.0));
        for (var second = 0; second < seconds; second += every)
        {
            svg.Append(Text($"""<text class="tick middle" x="{X(second):0.#}" y="{top + height + 18:0.#}">{second - warmup}</text>"""));
        }

        var below = top + height + 36;
        svg.Append(Text($"""<text class="tick middle" x="{(Left + right) / 2:0.#}" y="{below:0.#}">seconds of measured time</text>"""));
        foreach (var (number, (second, label)) in marks.Index())
        {
            var x = X(second + warmup);
            svg.Append(Text($"""<line class="mark" x1="{x:0.#}" x2="{x:0.#}" y1="{top}" y2="{top + height}"/>"""));
            svg.Append(Text($"""<text class="note" x="{x + 4:0.#}" y="{top + 14 + (14 * number):0.#}">{Escape(label)}</text>"""));
        }

        for (var i = 0; i < series.Count; i++)
        {
            var points = string.Join(' ', series[i].Values.Select((value, second) => Text($"{X(second):0.#},{Y(value):0.#}")));
            var name = Escape(series[i].Name);
            svg.Append(Text($"""<polyline class="line c{colours[i] % 6}" points="{points}"><title>{name}</title></polyline>"""));
        }

        return svg.Append("</svg>").Append(Legend([.. series.Select((one, i) => (one.Name, colours[i]))])).ToString();
    }

    /// <summary>Horizontal bars in groups, each with its value written behind it.</summary>
    /// <param name="title">Read out by screen readers.</param>
    /// <param name="groups">Name of each group and its bars; a bar without a value is left out.</param>
    /// <param name="series">What the bars of a group are.</param>
    /// <param name="unit">Behind each value.</param>
    /// <param name="nameWidth">Room for the groups' names.</param>
    public static string Bars(
        string title, IReadOnlyList<(string Name, IReadOnlyList<double?> Values)> groups, IReadOnlyList<string> series, string unit,
        double nameWidth)
    {
        const double bar = 14;
        const double gap = 10;
        const double room = 96;
        var most = groups.SelectMany(group => group.Values).Max() is { } largest and > 0 ? largest : 1;
        var groupHeight = (bar * series.Count) + gap;
        var svg = Open(title, (groupHeight * groups.Count) + gap);
        var full = Width - nameWidth - room;
        for (var g = 0; g < groups.Count; g++)
        {
            var y = gap + (g * groupHeight);
            var middle = y + (bar * series.Count / 2) + 4;
            svg.Append(Text($"""<text class="tick end" x="{nameWidth - 8}" y="{middle:0.#}">{Escape(groups[g].Name)}</text>"""));
            for (var i = 0; i < groups[g].Values.Count; i++)
            {
                if (groups[g].Values[i] is not { } value)
                {
                    continue;
                }

                var length = Math.Max(1, full * value / most);
                var top = y + (i * bar);
                var (behind, low) = (nameWidth + length + 5, top + bar - 3);
                svg.Append(Text($"""<rect class="bar c{i % 6}" x="{nameWidth}" y="{top + 1:0.#}" width="{length:0.#}" """));
                svg.Append(Text($"""height="{bar - 2}"/>"""));
                svg.Append(Text($"""<text class="note" x="{behind:0.#}" y="{low:0.#}">{Number(value)} {Escape(unit)}</text>"""));
            }
        }

        svg.Append("</svg>");
        return series.Count > 1 ? svg.Append(Legend([.. series.Select((one, i) => (one, i))])).ToString() : svg.ToString();
    }

    /// <summary>Formats without regard to the machine's language.</summary>
    public static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>Makes a text safe inside the page.</summary>
    public static string Escape(string text) => WebUtility.HtmlEncode(text);

    /// <summary>A figure with as many digits as help.</summary>
    public static string Number(double value) =>
        value.ToString(value >= 100 ? "#,0" : value >= 10 ? "0.0" : "0.00", CultureInfo.InvariantCulture);

    private static StringBuilder Open(string title, double height) =>
        new(Text($"""<svg viewBox="0 0 {Width} {height:0.#}" role="img" aria-label="{Escape(title)}">"""));

    private static string Legend(IReadOnlyList<(string Text, int Colour)> names) => "<p class=\"legend\">"
        + string.Concat(names.Select(name => Text($"""<span><i class="c{name.Colour % 6}"></i>{Escape(name.Text)}</span>"""))) + "</p>";

    private static double NiceCeiling(double value)
    {
        if (value <= 1)
        {
            return 1;
        }

        var magnitude = Math.Pow(10, Math.Floor(Math.Log10(value)));
        var lead = value / magnitude;
        return magnitude * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 4 ? 4 : lead <= 5 ? 5 : lead <= 8 ? 8 : 10);
    }
}
