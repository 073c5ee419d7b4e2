namespace Geo.Consistency;

/// <summary>How fast versions come, by an instance's own clock: who of several writers is to write for the others.</summary>
internal sealed record CasPace
{
    internal static readonly CasPace Initial = new();

    // After so long without news, whoever wrote last may have stopped.
    private static readonly TimeSpan Fresh = TimeSpan.FromMilliseconds(500);

    /// <summary>How long an own storage operation takes; an average that forgets.</summary>
    internal TimeSpan Operation { get; init; }

    /// <summary>The other instance whose version was seen last; none after an own one.</summary>
    internal CasWriter Writer { get; init; }

    /// <summary>When that was.</summary>
    internal TimeSpan SeenAt { get; init; }

    /// <summary>The time between its last two versions; for ever when it has made one only.</summary>
    internal TimeSpan Interval { get; init; } = TimeSpan.MaxValue;

    /// <summary>How many writes of its own the instance makes before it asks again, because nobody helped it.</summary>
    internal int OwnWritesFirst { get; init; }

    /// <summary>True when one other instance wrote the last versions, and so fast that an own write would likely lose.</summary>
    internal bool IsContended(TimeSpan now) => !Writer.IsNone && now - SeenAt < Fresh && Interval < 2 * Operation;

    internal CasPace Took(TimeSpan operation) =>
        this with { Operation = Operation == default ? operation : (Operation * 0.75) + (operation * 0.25) };

    internal CasPace Saw(CasWriter writer, long instance, TimeSpan now) =>
        writer.IsNone || writer.Instance == instance
            ? this with { Writer = default, Interval = TimeSpan.MaxValue }
            : this with { Writer = writer, SeenAt = now, Interval = writer == Writer ? now - SeenAt : TimeSpan.MaxValue };

    internal CasPace WritesItself(int times) => this with { OwnWritesFirst = times };

    internal CasPace Wrote() => OwnWritesFirst > 0 ? this with { OwnWritesFirst = OwnWritesFirst - 1 } : this;
}
