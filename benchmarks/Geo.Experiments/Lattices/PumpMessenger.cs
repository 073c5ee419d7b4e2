using System.Threading.Channels;

namespace Geo.Experiments.Lattices;

/// <summary>The way between replicas of one process: a bounded queue at each, which a task of its own works off.</summary>
internal sealed class PumpMessenger : IClusterMessenger, IAsyncDisposable
{
    private readonly Dictionary<ClusterId, PumpMessenger> _all;
    private readonly Channel<ClusterMessage> _queue = Channel.CreateBounded<ClusterMessage>(1024);
    private readonly Task _pump;
    private ClusterMessageHandler? _handler;

    public PumpMessenger(ClusterId local, Dictionary<ClusterId, PumpMessenger> all)
    {
        (LocalCluster, _all) = (local, all);
        all.Add(local, this);
        _pump = Task.Run(PumpAsync);
    }

    // Links neither come up nor go down here.
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

    public ClusterId LocalCluster { get; }

    public bool IsLinked(ClusterId cluster) => _all.ContainsKey(cluster);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) => throw new NotSupportedException("Replicas ask nothing.");

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        _all.TryGetValue(to, out var other)
        && other._queue.Writer.TryWrite(new ClusterMessage(LocalCluster, service, payload, ExpectsReply: false));

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        _handler = handler;
        return new Registration(this);
    }

    public async ValueTask DisposeAsync()
    {
        _queue.Writer.TryComplete();
        await _pump;
    }

    private async Task PumpAsync()
    {
        await foreach (var message in _queue.Reader.ReadAllAsync())
        {
            if (_handler is { } handler)
            {
                await handler(message, CancellationToken.None);
            }
        }
    }

    private sealed class Registration(PumpMessenger messenger) : IDisposable
    {
        public void Dispose() => messenger._handler = null;
    }
}
