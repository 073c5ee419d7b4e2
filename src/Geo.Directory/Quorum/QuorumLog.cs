using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>What the ownership of grains by majority tells an operator.</summary>
internal static partial class QuorumLog
{
    [LoggerMessage(
        50, LogLevel.Warning,
        "The lease {Lease} has run out and was fenced off by another silo: this one was cut off from the majority of the clusters, or "
        + "stood still. Its grains of the mode Quorum may run elsewhere; their instances here are ended, and it takes a new lease.")]
    public static partial void OwnLeaseIsOver(this ILogger logger, string lease);

    [LoggerMessage(
        51, LogLevel.Warning,
        "The lease {Lease} was not renewed for {Silence} and is fenced off: its grains of the mode Quorum can be taken over.")]
    public static partial void LeaseIsOver(this ILogger logger, string lease, TimeSpan silence);

    [LoggerMessage(52, LogLevel.Warning, "The leases of other silos could not be looked at; it is tried again.")]
    public static partial void LeasesNotSeen(this ILogger logger, Exception exception);

    [LoggerMessage(53, LogLevel.Warning, "The lease {Lease} could not be taken yet; it is tried again.")]
    public static partial void LeaseNotTaken(this ILogger logger, string lease, Exception exception);

    [LoggerMessage(54, LogLevel.Debug, "{Grain} was taken over from {Cluster}, epoch {Epoch}: the lease {Lease} is over.")]
    public static partial void TakenOver(this ILogger logger, GrainKey grain, ClusterId cluster, long epoch, string lease);

    [LoggerMessage(55, LogLevel.Warning, "The instance of {Grain}, whose lease is over, could not be ended; it serves no call.")]
    public static partial void InstanceNotEnded(this ILogger logger, GrainKey grain, Exception exception);

    [LoggerMessage(
        56, LogLevel.Error,
        "The row {Row} of the store by majority is damaged, or of another version of Geo: the grains under that lease can be taken over in "
        + "{Wait}, unless its silo renews it. To have them sooner make sure that this silo does not run, and remove the row.")]
    public static partial void QuorumLeaseUnreadable(this ILogger logger, string row, TimeSpan wait);

    [LoggerMessage(
        57, LogLevel.Error,
        "The row {Row} of the store by majority is damaged: who owns its grain is not known, and nobody takes it. Remove the row when no "
        + "silo that may serve the grain runs.")]
    public static partial void OwnerRowUnreadable(this ILogger logger, string row, Exception exception);

    [LoggerMessage(
        58, LogLevel.Warning,
        "The grains of the mode Quorum that are being ended since their cluster leaves have given way to a renewal of the lease for "
        + "{Duration}, in which it has not come to be younger than {Age}. They are ended without a further wait.")]
    public static partial void DrainGoesOn(this ILogger logger, TimeSpan age, TimeSpan duration);
}
