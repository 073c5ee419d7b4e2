using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>Options of the overlay <c>hyparview</c>, under the names that its paper gives them.</summary>
public sealed record HyParViewOptions
{
    /// <summary>With fewer neighbours than this a peer looks for more at once; 3 by default.</summary>
    [Range(1, 100)]
    public int ActiveMin { get; init; } = 3;

    /// <summary>The most neighbours; 6 by default.</summary>
    [Range(2, 100)]
    public int ActiveMax { get; init; } = 6;

    /// <summary>The most peers that are known without a link; 30 by default. As many lost neighbours are remembered besides.</summary>
    [Range(1, 10_000)]
    public int Passive { get; init; } = 30;

    /// <summary>
    /// How many links the news of a joining peer walks before the last peer takes it as a neighbour (ARWL); 6 by default.
    /// </summary>
    [Range(0, 64)]
    public int ActiveWalk { get; init; } = 6;

    /// <summary>How many links are left of that walk at the peer that takes it into its passive view (PRWL); 6 by default.</summary>
    [Range(0, 64)]
    public int PassiveWalk { get; init; } = 6;

    /// <summary>How often views are shuffled, symmetry is checked and a lost neighbour is tried again; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan ShuffleInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How many active peers a shuffle names; 3 by default.</summary>
    [Range(0, 100)]
    public int ShuffleActive { get; init; } = 3;

    /// <summary>How many passive peers a shuffle names; 4 by default.</summary>
    [Range(0, 100)]
    public int ShufflePassive { get; init; } = 4;

    /// <summary>How long a peer that was asked to become a neighbour may take, dialling included; 2 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:10:00")]
    public TimeSpan AskTimeout { get; init; } = TimeSpan.FromSeconds(2);
}
