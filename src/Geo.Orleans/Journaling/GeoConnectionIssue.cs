using Orleans.EventSourcing;

namespace Geo.Orleans;

/// <summary>Why a journaled grain cannot reach the latest version at present, as its <c>OnConnectionIssue</c> gets it.</summary>
[GenerateSerializer]
[Alias("geo.connection-issue")]
public sealed class GeoConnectionIssue : ConnectionIssue
{
    internal GeoConnectionIssue(Consistency.ViewIssue issue, DateTimeOffset now)
    {
        (What, Reason, Permanent) = (issue.What, issue.Reason, issue.Permanent);
        TimeOfFirstFailure = issue.Since.UtcDateTime;
        TimeStamp = now.UtcDateTime;
        NumberOfConsecutiveFailures = issue.Attempts;
    }

    /// <summary>What was tried, for people.</summary>
    [Id(0)]
    public string What { get; private set; }

    /// <summary>How it failed last, for people.</summary>
    [Id(1)]
    public string Reason { get; private set; }

    /// <summary>True when trying again by itself will not help; the next confirm or refresh tries once more.</summary>
    [Id(2)]
    public bool Permanent { get; private set; }

    /// <summary>Geo keeps to its own back-off: the delay is not asked for.</summary>
    public override TimeSpan ComputeRetryDelay(TimeSpan? previous) => previous ?? TimeSpan.Zero;
}
