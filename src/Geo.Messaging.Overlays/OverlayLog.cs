using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Overlays;

/// <summary>What overlays log.</summary>
internal static partial class OverlayLog
{
    [LoggerMessage(1, LogLevel.Information, "{Local} has not reached {Address}: {Reason}")]
    public static partial void NotReached(ILogger logger, PeerId local, PeerAddress address, string reason);

    [LoggerMessage(
        2, LogLevel.Warning, "{Local} runs overlay '{Overlay}' and does not link with {Remote}, which runs '{Other}': give both the same.")]
    public static partial void OtherOverlay(ILogger logger, PeerId local, string overlay, PeerId remote, string other);

    [LoggerMessage(3, LogLevel.Warning, "{Local} dropped an overlay message of {Remote}: {Reason}")]
    public static partial void Malformed(ILogger logger, PeerId local, PeerId remote, string reason);

    [LoggerMessage(4, LogLevel.Error, "A handler of an overlay event of {Local} failed.")]
    public static partial void HandlerFailed(ILogger logger, Exception error, PeerId local);

    [LoggerMessage(5, LogLevel.Information, "{Local} has left the overlay.")]
    public static partial void HasLeft(ILogger logger, PeerId local);

    [LoggerMessage(6, LogLevel.Critical, "An internal fault of the overlay of {Local}, which goes on.")]
    public static partial void ActionFailed(ILogger logger, Exception error, PeerId local);
}
