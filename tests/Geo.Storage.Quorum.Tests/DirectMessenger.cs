using System.Collections.Concurrent;

namespace Geo.Storage.Quorum.Tests;

/// <summary>Messages within this process, each handled on the pool.</summary>
internal sealed class DirectMessenger(ClusterId cluster, ConcurrentDictionary<(ClusterId, string), ClusterMessageHandler> handlers)
    : IClusterMessenger
{
    public event Action<ClusterId>? LinkUp
    {
        add { }
        remove { }
    }

    public event Action<ClusterId>? LinkDown
    {
        add { }
        remove { }
    }

    public ClusterId LocalCluster => cluster;

    public bool IsLinked(ClusterId cluster) => true;

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (!handlers.TryGetValue((to, service), out var handler))
        {
            return ClusterReply.Refused("nobody is there");
        }

        var bytes = payload.ToArray();
        var reply = await Task.Run(
            () => handler(new(cluster, service, bytes, ExpectsReply: true), CancellationToken.None).AsTask(), CancellationToken.None);
        return ClusterReply.Replied(reply);
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => false;

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        handlers[(cluster, service)] = handler;
        return new Registration(() => handlers.TryRemove((cluster, service), out _));
    }

    private sealed class Registration(Action end) : IDisposable
    {
        public void Dispose() => end();
    }
}
