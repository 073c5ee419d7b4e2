using System.Globalization;
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
    private readonly StringBuilder _line = new();
    private readonly StringBuilder? _text;
    private readonly List<string> _story = [];
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
            _line.Append('.');
            EndLine(lane.Name);
        };
    }

    /// <summary>How many lines have been written.</summary>
    public long Lines { get; private set; }

    /// <summary>A 128-bit hash of all lines, in hexadecimal.</summary>
    public string Hash => string.Create(CultureInfo.InvariantCulture, $"{_high:x16}{_low:x16}");

    /// <summary>All lines; empty unless they are kept.</summary>
    public string Text => _text?.ToString() ?? "";

    /// <summary>The trace in short, for people: what was noted, with its virtual time, without details. Empty unless the text is kept.</summary>
    public IReadOnlyList<string> Story => _story;

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
    public void Detail(string what) => _line.Append(' ').Append(what);

    private void EndLine(string lane)
    {
        if (_line.Length == 0)
        {
            return;
        }

        var prefix = string.Create(CultureInfo.InvariantCulture, $"{++Lines} {_time.Elapsed.Ticks / TimeSpan.TicksPerMicrosecond} {lane}");
        _line.Insert(0, prefix).Append('\n');
        var line = _line.ToString();
        var (high, low) = StableHash.Hash128(MemoryMarshal.AsBytes(line.AsSpan()));
        _high = StableHash.Mix(_high + high);
        _low = StableHash.Mix(_low ^ low);

        _text?.Append(line);
        _line.Clear();
    }
}
