namespace Geo.Administration;

/// <summary>A cluster as the asked silo sees it.</summary>
internal sealed record ClusterView
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>How long there has been no way to it, in seconds.</summary>
    public double OutOfReachSeconds { get; init; }

    /// <summary>True when it answered the question how it is.</summary>
    public bool HasAnswered { get; init; }

    /// <summary>How long ago it asked that question itself, in seconds; null when it never did.</summary>
    public double? HeardSecondsAgo { get; init; }

    /// <summary>Why it did not answer; null when it did.</summary>
    public string? Trouble { get; init; }

    /// <summary>True when the question was sent and no answer came in time.</summary>
    public bool IsSilent { get; init; }

    /// <summary>True when it answered something that this version does not understand.</summary>
    public bool IsUnreadable { get; init; }

    /// <summary>True when the question arrived where no admin endpoint is.</summary>
    public bool HasNoEndpoint { get; init; }

    /// <summary>The silo of it that answered; null when none did.</summary>
    public string? Node { get; init; }

    /// <summary>The version of Geo there; null when it did not say.</summary>
    public string? Version { get; init; }

    /// <summary>How far its clock is ahead of the asked silo's, in milliseconds; null when it did not say.</summary>
    public double? ClockAheadMs { get; init; }

    /// <summary>How exactly that is known: half the round trip, in milliseconds.</summary>
    public double? ClockExactToMs { get; init; }

    /// <summary>How many days the certificate of that silo is still good for; null without TLS, or when it did not say.</summary>
    public double? CertificateDays { get; init; }

    /// <summary>True when it says that the asked silo's cluster is in its reach; null when it did not say.</summary>
    public bool? ReachesBack { get; init; }

    /// <summary>The identities of its stores by name, where they have one.</summary>
    public IReadOnlyDictionary<string, string> StoreIdentities { get; init; } = new Dictionary<string, string>();
}
