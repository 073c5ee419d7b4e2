using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What the messaging layer logs.</summary>
internal static partial class MessagingLog
{
    [LoggerMessage(1, LogLevel.Information, "{Local} listens on {Address}.")]
    public static partial void Listening(ILogger logger, PeerId local, PeerAddress address);

    [LoggerMessage(2, LogLevel.Information, "Link to {Remote} at {Address} is up, with wire version {Version}.")]
    public static partial void LinkUp(ILogger logger, PeerIdentity remote, string address, int version);

    [LoggerMessage(3, LogLevel.Information, "Link to {Remote} is down: {Reason}.")]
    public static partial void LinkDown(ILogger logger, PeerIdentity remote, string reason);

    [LoggerMessage(EventId = 4, Message = "Refused a connection from {Address} ({Reason}): {Message}")]
    public static partial void RefusedRemote(ILogger logger, LogLevel level, string address, RefusalReason reason, string message);

    [LoggerMessage(EventId = 5, Message = "Was refused by {Address} ({Reason}): {Message}")]
    public static partial void RefusedByRemote(ILogger logger, LogLevel level, string address, RefusalReason reason, string message);

    [LoggerMessage(6, LogLevel.Warning, "Cannot reach {Address}: {Reason}. Dialling goes on.")]
    public static partial void DialFailed(ILogger logger, PeerAddress address, string reason);

    [LoggerMessage(7, LogLevel.Debug, "Still cannot reach {Address}: {Reason}.")]
    public static partial void DialFailedAgain(ILogger logger, PeerAddress address, string reason);

    [LoggerMessage(8, LogLevel.Warning, "{Remote} at {Address} broke the protocol and is cut off: {Reason}.")]
    public static partial void ProtocolBroken(ILogger logger, PeerId remote, string address, string reason);

    [LoggerMessage(9, LogLevel.Warning, "The handler of '{Service}' failed for {Remote}.")]
    public static partial void HandlerFailed(ILogger logger, Exception error, string service, PeerId remote);

    [LoggerMessage(10, LogLevel.Debug, "Refused a message: {Message}.")]
    public static partial void MessageRefused(ILogger logger, string message);

    [LoggerMessage(11, LogLevel.Warning, "A connection could not be accepted on {Address}: {Reason}.")]
    public static partial void AcceptFailed(ILogger logger, PeerAddress address, string reason);

    [LoggerMessage(12, LogLevel.Error, "A handler of a messaging event failed.")]
    public static partial void EventHandlerFailed(ILogger logger, Exception error);

    [LoggerMessage(13, LogLevel.Error, "The link to {Remote} failed by a fault of this library.")]
    public static partial void LaneFailed(ILogger logger, Exception error, PeerId remote);

    [LoggerMessage(14, LogLevel.Debug, "The handshake with {Address} was cut off: {Reason}.")]
    public static partial void HandshakeCutOff(ILogger logger, string address, string reason);

    [LoggerMessage(
        15, LogLevel.Warning,
        "No channel is called '{Channel}': its messages travel on '{Fallback}'. Add it to MessagingOptions.Channels.")]
    public static partial void UnknownChannel(ILogger logger, string channel, string fallback);

    [LoggerMessage(16, LogLevel.Information, "The certificate in {File} has changed: connections opened from now on use it.")]
    public static partial void CertificatesReloaded(ILogger logger, string file);

    [LoggerMessage(17, LogLevel.Warning, "Changed TLS files are not taken, the ones before stay in use. {Reason}")]
    public static partial void CertificatesNotReloaded(ILogger logger, string reason);

    [LoggerMessage(18, LogLevel.Error, "A connection with {Address} failed by a fault of this library.")]
    public static partial void OpeningFailed(ILogger logger, Exception error, string address);

    [LoggerMessage(
        19, LogLevel.Information,
        "The bulk lane {Lane} to {Remote} was not opened; large messages go over the lanes that there are. {Reason}")]
    public static partial void BulkLaneNotOpened(ILogger logger, string lane, PeerId remote, string reason);
}
