using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>Now and then sends a request once more, up to seconds later; that answer is nobody's.</summary>
internal sealed class RepeatingMessenger(IClusterMessenger inner, ChoiceTape fate, double share, VirtualTime time)
    : MessengerOver(inner)
{
    private static readonly TimeSpan Latest = TimeSpan.FromSeconds(4);

    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (fate.Chance(share))
        {
            _ = AgainAsync(to, service, payload.ToArray(), options);
        }

        return Inner.RequestAsync(to, service, payload, options, cancellationToken);
    }

    private async Task AgainAsync(ClusterId to, string service, byte[] payload, MessageOptions options)
    {
        await Task.Delay(fate.Between(TimeSpan.Zero, Latest), time);
        await Inner.RequestAsync(to, service, payload, options);
    }
}
