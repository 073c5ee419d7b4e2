using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A messenger against its contract: its requests never end, whatever becomes of the token.</summary>
internal sealed class SilentMessenger(IClusterMessenger inner, Func<bool>? isSilent = null) : MessengerOver(inner)
{
    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) => isSilent?.Invoke() == false
            ? Inner.RequestAsync(to, service, payload, options, cancellationToken)
            : new(new TaskCompletionSource<ClusterReply>().Task);
}
