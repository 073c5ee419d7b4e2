namespace Geo;

/// <summary>All connections of a silo with one silo of another cluster.</summary>
public sealed record LinkStatus
{
    /// <summary>The other silo's name on the network.</summary>
    public required string Peer { get; init; }

    /// <summary>The cluster that it speaks for; none for a client.</summary>
    public ClusterId Cluster { get; init; }

    /// <summary>True where this silo dialled.</summary>
    public bool WasDialledHere { get; init; }

    /// <summary>How long the link has been up.</summary>
    public TimeSpan Age { get; init; }

    /// <summary>The round trip of the last probe, queues included; null before the first one has come back.</summary>
    public TimeSpan? RoundTrip { get; init; }

    /// <summary>Bytes that wait to be sent, on all its lanes.</summary>
    public long QueuedBytes { get; init; }

    /// <summary>How full the fullest of its lanes is, from 0 to 1: at 1 more is refused.</summary>
    public double Fill { get; init; }

    /// <summary>Requests that wait for their replies.</summary>
    public int PendingRequests { get; init; }
}
