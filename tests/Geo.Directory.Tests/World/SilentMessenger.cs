using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A messenger against its contract: its requests never end, whatever becomes of the token.</summary>
internal sealed class SilentMessenger(IClusterMessenger inner) : MessengerOver(inner)
{
    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) => new(new TaskCompletionSource<ClusterReply>().Task);
}
