using Geo.Embedded;
using Geo.Messaging;

namespace Geo.Testing;

/// <summary>
/// A client's way to the gateways of a cluster, in virtual time: one silo is used until the link to it is lost, by its end or by a break;
/// what was under way then ends as unknown.
/// </summary>
internal sealed class SimulatedGateway : IGatewayLink
{
    private readonly SimulatedCluster _cluster;
    private readonly SimulationWorld _world;
    private readonly string _client;
    private readonly ChoiceTape _choices;
    private readonly HashSet<Request> _pending = [];
    private TaskCompletionSource _connected = new();
    private SimulatedSilo? _silo;
    private bool _isClosed;

    public SimulatedGateway(SimulatedCluster cluster, string client)
    {
        (_cluster, _world, _client) = (cluster, cluster.World, client);
        _choices = _world.Choices.Tape($"gateway {client}");
        cluster.SiloChanged += OnSiloChanged;
        Connect();
    }

    public PeerId? Current => _silo is { } silo ? new PeerId(silo.Name) : null;

    public Task Connected => _connected.Task;

    public ValueTask StartAsync(CancellationToken cancellationToken) => default;

    public SendOutcome TrySend(PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options)
    {
        if (_silo is not { } silo || silo.Name != gateway.Name)
        {
            return SendOutcome.NotConnected;
        }

        var bytes = payload.ToArray();
        _world.Time.Schedule(Delay(), () => Arrive(silo, present => present.Inbound.FromClientAsync(
            new PeerMessage(new PeerId(_client), default, CallRouter.Service, bytes, ExpectsReply: false), CancellationToken.None)
                .AsTask()));
        return SendOutcome.Queued;
    }

    public async ValueTask<ClusterReply> RequestAsync(
        PeerId gateway, ReadOnlyMemory<byte> payload, MessageOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_silo is not { } silo || silo.Name != gateway.Name)
        {
            return ClusterReply.Refused($"There is no link to {gateway}.");
        }

        var request = new Request();
        _pending.Add(request);
        var message = new PeerMessage(new PeerId(_client), default, CallRouter.Service, payload.ToArray(), ExpectsReply: true);
        _world.Time.Schedule(Delay(), () =>
        {
            if (_pending.Contains(request))
            {
                Arrive(silo, present => AnswerAsync(present, message, request));
            }
        });

        using var timeout = new CancellationTokenSource(
            LongestWait.Clamp(options.Timeout ?? _world.Gateways.RequestTimeout), _world.Time);
        using var onTimeout = timeout.Token.Register(() => GiveUp(silo, request, () =>
            request.Ended.TrySetResult(ClusterReply.Unknown($"No reply came from {gateway} in time."))));
        using var onCancel = cancellationToken.Register(() => GiveUp(silo, request, () => request.Ended.TrySetCanceled(cancellationToken)));
        try
        {
            return await request.Ended.Task;
        }
        finally
        {
            _pending.Remove(request);
        }
    }

    public ValueTask DisposeAsync()
    {
        _isClosed = true;
        _cluster.SiloChanged -= OnSiloChanged;
        Break();
        return default;
    }

    /// <summary>Loses the link; it is dialled anew after a while.</summary>
    public void Break()
    {
        if (_silo is not { } lost)
        {
            return;
        }

        _world.Trace.Detail($"{_client} loses {lost}");
        (_silo, _connected) = (null, new TaskCompletionSource());
        foreach (var request in _pending.ToArray())
        {
            GiveUp(lost, request, () => request.Ended.TrySetResult(ClusterReply.Unknown($"The link to {lost} was lost.")));
        }

        Connect();
    }

    private void OnSiloChanged(SimulatedSilo silo)
    {
        if (silo == _silo && !silo.IsUp)
        {
            Break();
        }
        else if (_silo is null)
        {
            Connect();
        }
    }

    private void Connect() => _world.Time.Schedule(Delay(), () =>
    {
        if (_silo is null && !_isClosed && _cluster.Silos.Where(s => s.IsUp).ToArray() is { Length: > 0 } up)
        {
            var silo = up[up.Length > 1 ? _choices.Next(up.Length) : 0];
            _world.Trace.Detail($"{_client} reaches {silo}");
            _silo = silo;
            _connected.TrySetResult();
        }
    });

    private static void Arrive(SimulatedSilo silo, Func<SiloIncarnation, Task> take)
    {
        if (silo.Present is { IsServing: true } present)
        {
            present.Lane.Post(() => _ = take(present));
        }
    }

    private async Task AnswerAsync(SiloIncarnation present, PeerMessage message, Request request)
    {
        ClusterReply reply;
        try
        {
            reply = ClusterReply.Replied((await present.Inbound.FromClientAsync(message, request.GivenUp.Token)).ToArray());
        }
        catch (Exception e)
        {
            _world.Trace.Detail($"fails {_client} {e.GetType().Name}");
            reply = ClusterReply.Unknown($"The silo failed: {e.Message}");
        }

        _world.Time.Schedule(Delay(), () =>
        {
            if (_pending.Contains(request))
            {
                request.Ended.TrySetResult(reply);
            }
        });
    }

    /// <summary>The client waits no longer, and the silo hears of it.</summary>
    private void GiveUp(SimulatedSilo silo, Request request, Action end)
    {
        end();
        _pending.Remove(request);
        _world.Time.Schedule(Delay(), () => silo.Present?.Lane.Post(request.GivenUp.Cancel));
    }

    private TimeSpan Delay() => _choices.Between(_world.Gateways.MinDelay, _world.Gateways.MaxDelay);

    private sealed class Request
    {
        public TaskCompletionSource<ClusterReply> Ended { get; } = new();

        public CancellationTokenSource GivenUp { get; } = new();
    }
}
