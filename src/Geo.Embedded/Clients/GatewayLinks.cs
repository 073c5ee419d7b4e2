using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>A client's links to gateways: all are kept up, one is used until it is lost.</summary>
internal sealed class GatewayLinks : IGatewayLink
{
    private readonly IReadOnlyList<PeerAddress> _gateways;
    private readonly MessagingNode _node;
    private readonly Lock _gate = new();
    private readonly List<PeerId> _up = [];
    private TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isStarted;

    public GatewayLinks(IReadOnlyList<PeerAddress> gateways, GeoClientOptions options, TimeProvider time, ILoggerFactory loggers)
    {
        _gateways = gateways;
        _node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"client-{Guid.NewGuid():N}"),
                Tls = options.Tls,
                AllowInsecure = options.AllowInsecure,
                RequestTimeout = options.RequestTimeout,
                MaxReconnectDelay = options.MaxReconnectDelay,
            },
            time,
            loggers);
        _node.MembersChanged += OnMembersChanged;
    }

    public PeerId? Current { get; private set; }

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

        await _node.StartAsync(cancellationToken).ConfigureAwait(false);
        foreach (var gateway in _gateways)
        {
            _node.Connect(gateway);
        }
    }

    public SendOutcome TrySend(PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options) =>
        _node.TrySend(gateway, CallRouter.Service, payload, options);

    public ValueTask<ClusterReply> RequestAsync(
        PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options, CancellationToken cancellationToken) =>
        _node.RequestAsync(gateway, CallRouter.Service, payload, options, cancellationToken);

    public ValueTask DisposeAsync() => _node.DisposeAsync();

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
