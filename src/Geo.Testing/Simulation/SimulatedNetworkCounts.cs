namespace Geo.Testing;

/// <summary>What a <see cref="SimulatedNetwork"/> has done to its messages.</summary>
public sealed class SimulatedNetworkCounts
{
    /// <summary>Requests and one-way messages handed to the network.</summary>
    public long Sent { get; internal set; }

    /// <summary>Requests, replies and one-way messages lost, cut links and halted receivers included.</summary>
    public long Lost { get; internal set; }

    /// <summary>One-way messages that arrived twice.</summary>
    public long Duplicated { get; internal set; }

    /// <summary>Messages that arrived before one sent earlier on the same way under another key.</summary>
    public long Overtaken { get; internal set; }

    /// <summary>Requests that ended as <see cref="ReplyOutcome.Unknown"/>.</summary>
    public long Unknown { get; internal set; }

    /// <summary>Requests that ended as <see cref="ReplyOutcome.Refused"/>.</summary>
    public long Refused { get; internal set; }

    /// <summary>Links cut.</summary>
    public long Cuts { get; internal set; }
}
