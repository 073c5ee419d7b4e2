using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>What the silos of a cluster tell an operator about each other.</summary>
internal static partial class SiloLog
{
    [LoggerMessage(
        30, LogLevel.Warning, "The lease of silo {Node} was not renewed: {Reason}. Without it the silo serves no single-instance grain.")]
    public static partial void LeaseNotRenewed(this ILogger logger, string node, string reason);

    [LoggerMessage(
        31, LogLevel.Critical,
        "Silo {Node} was declared dead by its cluster and fenced off: it serves no single-instance grain any more. Its host is stopped; "
        + "start it anew.")]
    public static partial void LeaseFenced(this ILogger logger, string node);

    [LoggerMessage(
        32, LogLevel.Information, "Silo {Node} is gone and its lease has run out: its single-instance grains can be taken over.")]
    public static partial void SiloFenced(this ILogger logger, string node);

    [LoggerMessage(
        33, LogLevel.Error, "Silo {Node}, which seems gone, could not be fenced off; it is tried again when its grains are called.")]
    public static partial void FenceFailed(this ILogger logger, string node, Exception exception);

    [LoggerMessage(35, LogLevel.Error, "The lease of silo {Node} was not renewed, for its renewal threw; it is tried again.")]
    public static partial void LeaseRenewalFailed(this ILogger logger, string node, Exception exception);

    [LoggerMessage(36, LogLevel.Warning, "The fences of silos long gone could not be removed; it is tried again.")]
    public static partial void OldFencesKept(this ILogger logger, Exception exception);

    [LoggerMessage(37, LogLevel.Information, "Silo {Node} begins incarnation {Incarnation} of its cluster: no other silo of it lives.")]
    public static partial void IncarnationBegun(this ILogger logger, string node, long incarnation);

    [LoggerMessage(
        38, LogLevel.Warning,
        "Silo {Node}, which its siblings did not hear, was left in incarnation {Left} of its cluster and takes up incarnation "
        + "{Incarnation}.")]
    public static partial void IncarnationTakenUp(this ILogger logger, string node, long left, long incarnation);

    [LoggerMessage(
        39, LogLevel.Warning,
        "Silo {Node} passes for living and has not renewed its lease for {Silence}, though the store of the rows answers here: it is "
        + "fenced off, and its single-instance grains can be taken over.")]
    public static partial void SilentSiloFenced(this ILogger logger, string node, TimeSpan silence);

    [LoggerMessage(
        40, LogLevel.Warning,
        "The lease of silo {Node} cannot be read by this version of Geo; whether it is renewed is not watched here. Do not mix versions in "
        + "one row store.")]
    public static partial void LeaseUnreadable(this ILogger logger, string node);

    [LoggerMessage(
        41, LogLevel.Warning,
        "The lease of silo {Node} is given up: nobody heard what became of the write that was to take it, and it has no row now. Under "
        + "that name others may hold it for over.")]
    public static partial void LeaseGivenUp(this ILogger logger, string node);
}
