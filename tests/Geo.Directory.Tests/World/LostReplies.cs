using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A messenger that loses the reply to some requests, which are handled all the same.</summary>
/// <param name="inner">The messenger.</param>
/// <param name="time">The clock.</param>
/// <param name="isLost">True for a request whose reply is lost.</param>
internal sealed class LostReplies(IClusterMessenger inner, TimeProvider time, Func<ReadOnlyMemory<byte>, bool> isLost)
    : MessengerOver(inner)
{
    public override async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (!isLost(payload))
        {
            return await Inner.RequestAsync(to, service, payload, options, cancellationToken);
        }

        var limit = Task.Delay(options.Timeout!.Value, time, cancellationToken);
        (await Inner.RequestAsync(to, service, payload, options, cancellationToken)).Release();
        await limit;
        return ClusterReply.Unknown("The reply was lost.");
    }
}
