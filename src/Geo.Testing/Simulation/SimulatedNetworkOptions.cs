using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>How a <see cref="SimulatedNetwork"/> misbehaves. May be changed while it runs.</summary>
public sealed class SimulatedNetworkOptions
{
    /// <summary>The shortest way of a message from cluster to cluster; 20 ms by default.</summary>
    public TimeSpan MinDelay { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The longest way of a message; 120 ms by default. Messages of different keys overtake each other within the bounds.
    /// </summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMilliseconds(120);

    /// <summary>The part of messages, requests and replies that is lost; 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double Loss { get; set; }

    /// <summary>The part of one-way messages, such as notices that a grain was released, that is lost besides; 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double NoticeLoss { get; set; }

    /// <summary>The part of one-way messages that arrives twice; 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double Duplication { get; set; }

    /// <summary>
    /// The part of requests into a cut link that is refused at once, as a sender does that knows its connection to be down; the others end
    /// as unknown when their time-out has passed. 0.5 by default.
    /// </summary>
    [Range(0.0, 1.0)]
    public double RefusedWhenCut { get; set; } = 0.5;

    /// <summary>
    /// The part of requests under way that end as unknown as soon as their link is noticed to be lost; the others end so by their time-out.
    /// 0 by default, and 0.5 in a <see cref="SimulationWorld"/>.
    /// </summary>
    [Range(0.0, 1.0)]
    public double UnknownWhenCut { get; set; }

    /// <summary>The time-out of requests that bring none; 2 s by default.</summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(2);
}
