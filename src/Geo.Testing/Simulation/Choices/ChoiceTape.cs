namespace Geo.Testing;

/// <summary>The choices for one purpose, in the order in which they are made. See <see cref="Choices"/>.</summary>
public sealed class ChoiceTape
{
    // Chances are drawn in millionths.
    private const int Certain = 1_000_000;

    private readonly Random? _random;
    private readonly IReadOnlyList<int> _replayed;
    private readonly List<int> _values = [];
    private readonly List<ChoiceSpan> _spans = [];

    /// <summary>Draws choices.</summary>
    /// <param name="purpose">What they are for.</param>
    /// <param name="random">Where they come from.</param>
    public ChoiceTape(string purpose, Random random)
    {
        ArgumentNullException.ThrowIfNull(purpose);
        ArgumentNullException.ThrowIfNull(random);
        (Purpose, _random, _replayed) = (purpose, random, []);
    }

    internal ChoiceTape(string purpose, IReadOnlyList<int> replayed) => (Purpose, _replayed) = (purpose, replayed);

    /// <summary>What the choices are for.</summary>
    public string Purpose { get; }

    /// <summary>How many choices have been made.</summary>
    public int Count => _values.Count;

    /// <summary>
    /// False when a replay has used up what was recorded: whoever goes on for a time should stop then, so that what was left out of a
    /// schedule is not filled up with the mildest choices.
    /// </summary>
    public bool HasMore => _random is not null || _values.Count < _replayed.Count;

    /// <summary>One choice, from 0 to below a bound. A replayed one beyond the bound becomes the largest that there is.</summary>
    public int Next(int bound)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bound);
        var value = _random?.Next(bound) ?? (_values.Count < _replayed.Count ? Math.Min(_replayed[_values.Count], bound - 1) : 0);
        _values.Add(value);
        return value;
    }

    /// <summary>One choice, from a lower bound to below an upper one; the lower bound is the mildest.</summary>
    public int Next(int min, int bound) => min + Next(bound - min);

    /// <summary>True with a probability, which the tape rounds to millionths; 0 chooses nothing.</summary>
    public bool Chance(double probability) => probability > 0 && Next(Certain) >= Certain - (int)(Certain * Math.Min(1, probability));

    /// <summary>A time between two, in whole microseconds; the shorter is the mildest.</summary>
    public TimeSpan Between(TimeSpan min, TimeSpan max)
    {
        var microseconds = Math.Clamp((max - min).Ticks / TimeSpan.TicksPerMicrosecond, 0, int.MaxValue - 1L);
        return microseconds == 0 ? min : min + TimeSpan.FromTicks(Next((int)microseconds + 1) * TimeSpan.TicksPerMicrosecond);
    }

    /// <summary>Between 0 and the most there is: mostly little, sometimes much.</summary>
    internal double UpTo(double most) => most * Math.Pow(Next(1001) / 1000.0, 2);

    /// <summary>Marks the choices that are made until it is disposed as one operation or fault.</summary>
    public IDisposable Span(string label) => new OpenSpan(this, label);

    /// <summary>What has been chosen so far.</summary>
    public ChoiceTapeRecord Record() => new([.. _values], [.. _spans]);

    private sealed class OpenSpan(ChoiceTape tape, string label) : IDisposable
    {
        private readonly int _start = tape.Count;

        public void Dispose() => tape._spans.Add(new ChoiceSpan(label, _start, tape.Count));
    }
}
