namespace Geo.Consistency;

/// <summary>How fast versions come, by an instance's own clock: who of several writers is to write for the others.</summary>
internal readonly record struct CasPace()
{
    internal static readonly CasPace Initial = new();

    // After so long without news, or after two own operations, whoever wrote last may have stopped.
    private static readonly TimeSpan Fresh = TimeSpan.FromMilliseconds(500);

    /// <summary>How long an own storage operation takes; an average that forgets.</summary>
    internal TimeSpan Operation { get; init; }

    /// <summary>The other instance whose version was seen last; none after an own one.</summary>
    internal CasWriter Writer { get; init; }

    /// <summary>When that was.</summary>
    internal TimeSpan SeenAt { get; init; }

    /// <summary>The time between its last two versions; for ever when it has made one only.</summary>
    internal TimeSpan Interval { get; init; } = TimeSpan.MaxValue;

    /// <summary>How long it takes until another instance has done what it was asked for; 0 while that is not known.</summary>
    internal TimeSpan Help { get; init; }

    /// <summary>How many operations of its own the instance makes before it asks again, because nobody helped it.</summary>
    internal int OwnFirst { get; init; }

    /// <summary>True when one other instance wrote the last versions, and so fast that an own write would likely lose.</summary>
    internal bool IsContended(TimeSpan now) =>
        !Writer.IsNone && (now - SeenAt < Fresh || now - SeenAt < 2 * Operation) && Interval < 2 * Operation;

    /// <summary>True when the help of another instance is known to take little longer than an own operation.</summary>
    internal bool IsHelpNear => Help > TimeSpan.Zero && Help < 1.5 * Operation;

    /// <summary>An own operation took so long.</summary>
    internal CasPace Took(TimeSpan operation) => this with { Operation = Average(Operation, operation) };

    /// <summary>The help of another instance took so long.</summary>
    internal CasPace Helped(TimeSpan help) => this with { Help = Average(Help, help) };

    internal CasPace Saw(CasWriter writer, long instance, TimeSpan now) =>
        writer.IsNone || writer.Instance == instance
            ? this with { Writer = default, Interval = TimeSpan.MaxValue }
            : this with { Writer = writer, SeenAt = now, Interval = writer == Writer ? now - SeenAt : TimeSpan.MaxValue };

    internal CasPace HelpsItself(int operations) => this with { OwnFirst = operations };

    /// <summary>An own operation begins.</summary>
    internal CasPace Begins() => OwnFirst > 0 ? this with { OwnFirst = OwnFirst - 1 } : this;

    private static TimeSpan Average(TimeSpan before, TimeSpan now) => before == default ? now : (before * 0.75) + (now * 0.25);
}
