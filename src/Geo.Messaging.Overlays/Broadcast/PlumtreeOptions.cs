using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>How broadcasts travel and are recovered.</summary>
public sealed record PlumtreeOptions
{
    /// <summary>How long an announced message may be missing before it is asked for; 500 ms by default. More than a round trip.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan MissingTimeout { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// How long to wait for a message that was asked for before the next peer that announced it is asked; 500 ms by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan GraftTimeout { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// How many links shorter the way of a message over a neighbour outside of the tree must have been for it to take the place of the one
    /// that brought the message; 4 by default. With many origins a low number moves the tree to and fro between what is best for each.
    /// </summary>
    [Range(1, 1_000)]
    public int HopsSaved { get; init; } = 4;

    /// <summary>How often a missing message is asked for before it is given up; 16 by default.</summary>
    [Range(1, 1000)]
    public int MaxGrafts { get; init; } = 16;

    /// <summary>
    /// How long the later messages of an origin wait for an earlier one before it is skipped and counted as lost; 10 s by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan GapTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The most messages that are kept for peers that miss them; 1,024 by default.</summary>
    [Range(1, 1_000_000)]
    public int KeptMessages { get; init; } = 1024;

    /// <summary>The most bytes of payload that are kept for peers that miss them; 16 MiB by default.</summary>
    [Range(1024, int.MaxValue)]
    public int KeptBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>The most messages of one origin that wait for an earlier one; 1,024 by default. One more, and the gap is skipped.</summary>
    [Range(1, 1_000_000)]
    public int WaitingMessages { get; init; } = 1024;

    /// <summary>
    /// The most bytes of payload, of all origins, that wait for an earlier message; 16 MiB by default. Beyond them the gap of the origin of
    /// which most waits is skipped.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int WaitingBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>The most origins whose progress is remembered; 8,192 by default. The one not heard for longest gives way.</summary>
    [Range(1, 1_000_000)]
    public int Origins { get; init; } = 8192;

    /// <summary>The most announced messages that are missing at once; 16,384 by default. Further announcements are dropped.</summary>
    [Range(1, 1_000_000)]
    public int MissingMessages { get; init; } = 16_384;
}
