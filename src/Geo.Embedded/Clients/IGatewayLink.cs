using Geo.Messaging;

namespace Geo.Embedded;

/// <summary>A client's way to the silos.</summary>
internal interface IGatewayLink : IAsyncDisposable
{
    /// <summary>The gateway in use; null when none is connected.</summary>
    PeerId? Current { get; }

    /// <summary>Ends when a gateway is connected.</summary>
    Task Connected { get; }

    /// <summary>Begins to connect. Calling it again does nothing.</summary>
    ValueTask StartAsync(CancellationToken cancellationToken);

    /// <summary>Sends a call that has no answer.</summary>
    SendOutcome TrySend(PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options);

    /// <summary>Sends a call and waits for its answer. Refused when the call has certainly not arrived.</summary>
    ValueTask<ClusterReply> RequestAsync(
        PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options, CancellationToken cancellationToken);
}
