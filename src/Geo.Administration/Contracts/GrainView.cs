namespace Geo.Administration;

/// <summary>What one cluster knows of a single-instance grain.</summary>
internal sealed record GrainView
{
    /// <summary>The cluster that was asked.</summary>
    public required string Asked { get; init; }

    /// <summary>The state of its row, or of the hint of the silo that answered; null when it knows nothing.</summary>
    public string? State { get; init; }

    /// <summary>The cluster of the instance, as far as it knows.</summary>
    public string? Cluster { get; init; }

    /// <summary>The silo of the instance there.</summary>
    public string? Node { get; init; }

    /// <summary>Whether that silo lives; null where the row names none of the asked cluster.</summary>
    public string? NodeState { get; init; }

    /// <summary>Why it is so, for people.</summary>
    public required string Why { get; init; }

    /// <summary>What the silos of the asked cluster remember of the grain's moves; null where they did not say.</summary>
    public HistoryView? History { get; init; }
}
