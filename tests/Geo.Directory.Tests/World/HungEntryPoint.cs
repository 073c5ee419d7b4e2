using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A messenger to clusters of two silos, of which the one that is asked first says nothing any more.</summary>
internal sealed class HungEntryPoint(IClusterMessenger inner, TimeProvider time) : MessengerOver(inner)
{
    public override async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (options.Attempt > 0)
        {
            return await Inner.RequestAsync(to, service, payload, options, cancellationToken);
        }

        await Task.Delay(options.Timeout!.Value, time, cancellationToken);
        return ClusterReply.Unknown("it hangs");
    }
}
