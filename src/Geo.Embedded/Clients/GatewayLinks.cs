using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>A client's links to gateways: all are kept up, one is used until it is lost.</summary>
internal sealed class GatewayLinks : IAsyncDisposable
{
    private readonly IReadOnlyList<PeerAddress> _gateways;
    private readonly Lock _gate = new();
    private readonly List<PeerId> _up = [];
    private TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isStarted;

    public GatewayLinks(IReadOnlyList<PeerAddress> gateways, GeoClientOptions options, TimeProvider time, ILoggerFactory loggers)
    {
        _gateways = gateways;
        Node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"client-{Guid.NewGuid():N}"),
                Tls = options.Tls,
                AllowInsecure = options.AllowInsecure,
                RequestTimeout = options.RequestTimeout,
            },
            time,
            loggers);
        Node.MembersChanged += OnMembersChanged;
    }

    /// <summary>The client's end of the links.</summary>
    public MessagingNode Node { get; }

    /// <summary>The gateway in use; null when none is connected.</summary>
    public PeerId? Current { get; private set; }

    /// <summary>Ends when a gateway is connected.</summary>
    public Task Connected
    {
        get
        {
            lock (_gate)
            {
                return _connected.Task;
            }
        }
    }

    /// <summary>Begins to dial. Calling it again does nothing.</summary>
    public async ValueTask StartAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isStarted)
            {
                return;
            }

            _isStarted = true;
        }

        await Node.StartAsync(cancellationToken).ConfigureAwait(false);
        foreach (var gateway in _gateways)
        {
            Node.Connect(gateway);
        }
    }

    public ValueTask DisposeAsync() => Node.DisposeAsync();

    private void OnMembersChanged(MembershipChange change)
    {
        lock (_gate)
        {
            _up.Remove(change.Member.Peer);
            if (change.IsUp)
            {
                _up.Add(change.Member.Peer);
            }

            // The link in use stays in use as long as it is up: changing without need would only lose order.
            if (Current is not { } current || !_up.Contains(current))
            {
                Current = _up.Count > 0 ? _up[0] : null;
            }

            if (Current is not null)
            {
                _connected.TrySetResult();
            }
            else if (_connected.Task.IsCompleted)
            {
                _connected = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }
    }
}
