using Geo.Messaging;

namespace EchoSample;

/// <summary>Sends back what it gets.</summary>
public static class EchoService
{
    public const string Name = "echo";

    public static IDisposable AddTo(MessagingNode node) =>
        node.Handle(Name, (message, _) => ValueTask.FromResult(message.Payload));
}
