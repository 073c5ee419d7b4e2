using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Geo.Testing;

/// <summary>
/// What happened in a simulation, one line a step: its number, the virtual time in microseconds, the lane, and what the parts noted while
/// it ran. Two runs of one seed give the same bytes. The hash is always there, the text only when it is kept.
/// </summary>
public sealed class SimulationTrace
{
    private readonly VirtualTime _time;
    private readonly StringBuilder _details = new();
    private readonly StringBuilder? _text;
    private readonly List<string> _story = [];
    private char[] _line = new char[256];
    private ulong _high;
    private ulong _low;

    /// <summary>Creates the trace of a scheduler's steps.</summary>
    /// <param name="scheduler">The scheduler, whose hooks before and after each step the trace joins.</param>
    /// <param name="keepText">True to keep the lines themselves, about 60 bytes a step.</param>
    public SimulationTrace(SimulationScheduler scheduler, bool keepText = false)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        _time = scheduler.Time;
        _text = keepText ? new StringBuilder() : null;
        scheduler.BeforeStep += _ => EndLine("time");
        scheduler.AfterStep += lane =>
        {
            _details.Append('.');
            EndLine(lane.Name);
        };
    }

    /// <summary>How many lines have been written.</summary>
    public long Lines { get; private set; }

    /// <summary>A 128-bit hash of all lines, in hexadecimal.</summary>
    public string Hash => string.Create(CultureInfo.InvariantCulture, $"{_high:x16}{_low:x16}");

    /// <summary>All lines; empty unless they are kept.</summary>
    public string Text => _text?.ToString() ?? "";

    /// <summary>
    /// The trace in short, for people: what was noted, with its virtual time, without details. Empty unless the text is kept.
    /// </summary>
    public IReadOnlyList<string> Story => _story;

    /// <summary>True when the text is kept, for people to read.</summary>
    internal bool IsKept => _text is not null;

    /// <summary>Notes what happens in the present step.</summary>
    public void Note(string what)
    {
        Detail(what);
        if (_text is not null)
        {
            _story.Add(string.Create(CultureInfo.InvariantCulture, $"{_time.Elapsed.TotalSeconds,9:0.000} s  {what}"));
        }
    }

    /// <summary>Notes a detail, such as a message on its way: part of the trace, not of the story.</summary>
    public void Detail(string what) => _details.Append(' ').Append(what);

#pragma warning disable CA1822 // The trace is the argument of the handler, which has written the parts when this is called.
    /// <summary>Notes a detail without making a text of it first.</summary>
    internal void Detail([InterpolatedStringHandlerArgument("")] ref DetailHandler what)
    {
    }
#pragma warning restore CA1822

    private void EndLine(string lane)
    {
        if (_details.Length == 0)
        {
            return;
        }

        int prefix;
        while (!_line.AsSpan().TryWrite(
            CultureInfo.InvariantCulture, $"{Lines + 1} {_time.Elapsed.Ticks / TimeSpan.TicksPerMicrosecond} {lane}", out prefix)
            || _line.Length <= prefix + _details.Length)
        {
            _line = new char[_line.Length * 2];
        }

        Lines++;
        _details.CopyTo(0, _line.AsSpan(prefix), _details.Length);
        var line = _line.AsSpan(0, prefix + _details.Length + 1);
        line[^1] = '\n';
        var (high, low) = StableHash.Hash128(MemoryMarshal.AsBytes(line));
        _high = StableHash.Mix(_high + high);
        _low = StableHash.Mix(_low ^ low);

        _text?.Append(line);
        _details.Clear();
    }

    /// <summary>Writes an interpolated detail where it belongs.</summary>
    [InterpolatedStringHandler]
    internal ref struct DetailHandler
    {
        private StringBuilder.AppendInterpolatedStringHandler _to;

        public DetailHandler(int literalLength, int formattedCount, SimulationTrace trace) =>
            _to = new(literalLength, formattedCount, trace._details.Append(' '), CultureInfo.InvariantCulture);

        public void AppendLiteral(string value) => _to.AppendLiteral(value);

        public void AppendFormatted<T>(T value) => _to.AppendFormatted(value);
    }
}
