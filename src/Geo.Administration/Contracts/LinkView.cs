namespace Geo.Administration;

/// <summary>A link of the asked silo.</summary>
internal sealed record LinkView
{
    /// <summary>The silo at the other end.</summary>
    public required string Peer { get; init; }

    /// <summary>Its cluster.</summary>
    public required string Cluster { get; init; }

    /// <summary>True where the asked silo dialled.</summary>
    public bool Dialled { get; init; }

    /// <summary>How long it has been up, in seconds.</summary>
    public double UpSeconds { get; init; }

    /// <summary>The last round trip in milliseconds; null before the first.</summary>
    public double? RoundTripMs { get; init; }

    /// <summary>Bytes that wait to be sent.</summary>
    public long QueuedBytes { get; init; }

    /// <summary>How full its fullest lane is, from 0 to 1.</summary>
    public double Fill { get; init; }

    /// <summary>Requests that wait for their replies.</summary>
    public int PendingRequests { get; init; }
}
