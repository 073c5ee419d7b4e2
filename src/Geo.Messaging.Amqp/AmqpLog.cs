using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Amqp;

internal static partial class AmqpLog
{
    [LoggerMessage(1, LogLevel.Information, "{Peer} has reached the broker {Broker}")]
    public static partial void Reached(ILogger logger, PeerId peer, PeerAddress broker);

    [LoggerMessage(2, LogLevel.Warning, "{Peer} has lost the broker {Broker} and dials it again: {Reason}")]
    public static partial void Lost(ILogger logger, PeerId peer, PeerAddress broker, string reason);

    [LoggerMessage(3, LogLevel.Warning, "{Peer} was asked to join {Contact}, which is not its broker {Broker}: it joins there")]
    public static partial void OtherBroker(ILogger logger, PeerId peer, PeerAddress contact, PeerAddress broker);

    [LoggerMessage(4, LogLevel.Warning, "The queue of {Other} is full: {Peer} has cut it off until it begins anew")]
    public static partial void CutOff(ILogger logger, PeerId peer, PeerId other);

    [LoggerMessage(5, LogLevel.Warning, "{Peer} was too slow and has missed something of {Other}: it begins anew")]
    public static partial void BeginsAnew(ILogger logger, PeerId peer, PeerId other);

    [LoggerMessage(6, LogLevel.Warning, "{Peer} dropped a message that it could not read: {Reason}")]
    public static partial void Malformed(ILogger logger, PeerId peer, string reason);
}
