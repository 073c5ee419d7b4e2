using System.ComponentModel.DataAnnotations;

namespace Geo.Testing.Overlays;

/// <summary>How the links of a <see cref="SimulatedOverlayNetwork"/> behave.</summary>
public sealed class SimulatedOverlayOptions
{
    /// <summary>The shortest way of a frame; 5 ms by default.</summary>
    public TimeSpan MinDelay { get; set; } = TimeSpan.FromMilliseconds(5);

    /// <summary>The longest way of a frame; 50 ms by default. The frames of a link keep their order.</summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How long an end of a broken link takes to find out; 500 ms by default.</summary>
    public TimeSpan DetectionTime { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// How long a peer takes at most to hear that a link is up or down, in order, while the link's frames arrive already; none by default.
    /// A messaging node tells of its links apart from what arrives on them, too.
    /// </summary>
    public TimeSpan MaxNoticeDelay { get; set; }

    /// <summary>The wait between two attempts to dial an address; 250 ms by default.</summary>
    public TimeSpan RedialInterval { get; set; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The most frames under way on one link in one direction; 100,000 by default. One more is refused.</summary>
    [Range(1, int.MaxValue)]
    public int LinkFrames { get; set; } = 100_000;
}
