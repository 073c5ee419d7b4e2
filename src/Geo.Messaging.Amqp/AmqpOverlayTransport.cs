// Longer than most: links, the broker's connection and what is said over it change together, under one lock, so that the overlay hears of
// them in order.
using System.Collections.Concurrent;
using System.Globalization;
using Geo.Messaging.Overlays;
using Microsoft.Extensions.Logging;
using RabbitMQ.Client.Exceptions;

namespace Geo.Messaging.Amqp;

/// <summary>
/// Links between peers that are links with one broker: each peer has a queue there and says regularly, on an exchange that all hear, that
/// it is there. A link with another is up while it is heard.
/// </summary>
/// <remarks>
/// <para>
/// A frame is certainly in its receiver's queue once the broker has confirmed it, certainly not when the broker refused it, and else
/// unknown; <see cref="Counts"/> tells how many. Frames of a link arrive in order and without gaps: a peer that has missed one, because
/// its queue was full or the broker was lost, begins anew with another queue, and all its links with it.
/// </para>
/// <para>Safe to use from any thread.</para>
/// </remarks>
public sealed class AmqpOverlayTransport : IOverlayTransport, IAsyncDisposable
{
    private readonly AmqpOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Random _random;
    private readonly OutboundFrames _outbound;
    private readonly AmqpMetrics _metrics;
    private readonly CancellationTokenSource _stop = new();

    // Held while links change and while the overlay is told of it, so that it is told in order. Sending does not take it.
    private readonly Lock _gate = new();
    private readonly ConcurrentDictionary<PeerId, AmqpLink> _links = new();
    private readonly PartedPeers _parted;
    private readonly Dictionary<PeerId, AmqpLink> _cutOff = [];
    private IOverlayListener? _listener;
    private BrokerConnection? _connection;
    private Task? _running;
    private ITimer? _timer;
    private TaskCompletionSource _wanted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isPresent;
    private bool _isDisposed;
    private long _epoch;
    private long _confirmed;
    private long _refused;
    private long _unknown;
    private long _dropped;
    private long _full;
    private long _malformed;
    private long _tooManyPeers;
    private long _connections;

    /// <summary>Creates a transport that reaches for the broker once the overlay is started.</summary>
    /// <param name="options">The broker and the limits.</param>
    /// <param name="time">The clock of heartbeats and time-outs.</param>
    /// <param name="loggers">Where the loss of the broker is logged.</param>
    /// <param name="random">The jitter of reconnects; one of its own when null.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public AmqpOverlayTransport(AmqpOptions options, TimeProvider time, ILoggerFactory loggers, Random? random = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(loggers);
        options.Check();
        (_options, _time, _logger, _random) = (options, time, loggers.CreateLogger<AmqpOverlayTransport>(), random ?? new Random());
        _outbound = new OutboundFrames(options);
        _parted = new PartedPeers(options.MaxPeers, options.DeadAfter);
        _metrics = new AmqpMetrics(this, () => _outbound.Bytes);
    }

    /// <inheritdoc/>
    public PeerId Peer => _options.Peer;

    /// <summary>The broker's address, by which every peer joins.</summary>
    public PeerAddress? Address => _options.BrokerAddress;

    /// <summary>What became of what was sent.</summary>
    public AmqpCounts Counts => new(
        Interlocked.Read(ref _confirmed), Interlocked.Read(ref _refused), Interlocked.Read(ref _unknown), Interlocked.Read(ref _dropped),
        Interlocked.Read(ref _full), Interlocked.Read(ref _malformed), Interlocked.Read(ref _tooManyPeers),
        Interlocked.Read(ref _connections));

    /// <inheritdoc/>
    public IDisposable Listen(IOverlayListener listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_gate)
        {
            _listener = listener;
            foreach (var peer in _links.Keys)
            {
                listener.LinkUp(peer);
            }
        }

        return new Listening(this, listener);
    }

    /// <summary>Says to be there from now on, as soon as and as long as the broker is reached.</summary>
    /// <param name="address">The broker.</param>
    public void Connect(PeerAddress address)
    {
        if (address != _options.BrokerAddress)
        {
            AmqpLog.OtherBroker(_logger, Peer, address, _options.BrokerAddress);
        }

        lock (_gate)
        {
            if (_isPresent || _isDisposed)
            {
                return;
            }

            _isPresent = true;
            _wanted.TrySetResult();
            _running ??= Task.Run(RunAsync);
            _timer ??= _time.CreateTimer(
                static transport =>
                    ((AmqpOverlayTransport)transport!).Beat(), this, _options.HeartbeatInterval, _options.HeartbeatInterval);
        }
    }

    /// <summary>Says to all to be there no longer, after what was sent before, and leaves the broker.</summary>
    /// <param name="address">The broker.</param>
    public void CancelConnect(PeerAddress address)
    {
        lock (_gate)
        {
            if (!_isPresent)
            {
                return;
            }

            _isPresent = false;
            _wanted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (_connection is not null)
            {
                Say(EnvelopeKind.Goodbye, null, isLast: true);
            }
        }
    }

    /// <inheritdoc/>
    public Task DisconnectAsync(PeerId peer)
    {
        lock (_gate)
        {
            if (!_links.TryRemove(peer, out var link))
            {
                return Task.CompletedTask;
            }

            _parted.Add(peer, link.Epoch, Now);
            var left = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Say(EnvelopeKind.Goodbye, link, left: left);
            return left.Task;
        }
    }

    /// <inheritdoc/>
    public bool TrySend(PeerId to, ReadOnlyMemory<byte> frame) => _links.TryGetValue(to, out var link) && TryAdd(link, frame.Span);

    /// <inheritdoc/>
    public bool TrySendToAll(ReadOnlyMemory<byte> frame) => !_links.IsEmpty && TryAdd(null, frame.Span);

    /// <summary>Leaves the broker without a word to the others.</summary>
    public async ValueTask DisposeAsync()
    {
        Task running;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            _timer?.Dispose();
            running = _running ?? Task.CompletedTask;
            _listener = null;
        }

        await _stop.CancelAsync();
        await running;
        _metrics.Dispose();
        _stop.Dispose();
    }

    private TimeSpan Now => _time.GetElapsedTime(0);

    private bool TryAdd(AmqpLink? to, ReadOnlySpan<byte> frame)
    {
        var epoch = Volatile.Read(ref _epoch);
        if (frame.Length <= _options.MaxFrameBytes
            && _outbound.TryAdd(new Outgoing(EnvelopeKind.Frame, epoch, to, new Envelope(EnvelopeKind.Frame, Peer, epoch).Around(frame))))
        {
            return true;
        }

        Interlocked.Increment(ref _full);
        return false;
    }

    private void Say(EnvelopeKind kind, AmqpLink? to, TaskCompletionSource? left = null, bool isLast = false)
    {
        var message = new Outgoing(kind, _epoch, to, new Envelope(kind, Peer, _epoch).Around([])) { Left = left, IsLast = isLast };
        if (!_outbound.TryAdd(message))
        {
            // Others may not learn what is lost here: with another queue all begins anew.
            Drop(message);
            _connection?.End($"{_options.OutboundOwnBytes} bytes of the transport's own messages wait for it");
        }
    }

    private async Task RunAsync()
    {
        var attempt = 0;
        while (true)
        {
            try
            {
                await WantedAsync().WaitAsync(_stop.Token);
                var lost = await ServeAsync(() => attempt = 0);
                if (lost is not null)
                {
                    AmqpLog.Lost(_logger, Peer, _options.BrokerAddress, lost);
                    await Task.Delay(DelayBefore(++attempt), _time, _stop.Token);
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
        }
    }

    private Task WantedAsync()
    {
        lock (_gate)
        {
            return _wanted.Task;
        }
    }

    // Half of it is chance: peers that lost the broker at the same moment do not come back at the same moment.
    private TimeSpan DelayBefore(int attempt) =>
        BackOff.AfterFailures(attempt, _options.ReconnectDelay, _options.MaxReconnectDelay, _random);

    /// <summary>One connection, from its opening to its end.</summary>
    /// <returns>Why the broker was lost; null when it was left.</returns>
    private async Task<string?> ServeAsync(Action reached)
    {
        // A later queue has a higher number, also after a restart.
        var epoch = Math.Max(Volatile.Read(ref _epoch) + 1, _time.GetUtcNow().ToUnixTimeMilliseconds());
        Volatile.Write(ref _epoch, epoch);
        BrokerConnection? connection = null;
        try
        {
            connection = await BrokerConnection.OpenAsync(_options, _time, QueueOf(Peer, epoch), OnMessage, OnSettled, _stop.Token);
            reached();
            Begin(connection);
            await PumpAsync(connection);
            return null;
        }
        catch (Exception e) when (e is RabbitMQClientException or IOException or TimeoutException or System.Net.Sockets.SocketException)
        {
            return connection?.Reason ?? e.Message;
        }
        catch (OperationCanceledException) when (!_stop.IsCancellationRequested)
        {
            return connection is null ? "it did not answer in time" : connection.Reason;
        }
        finally
        {
            Finish();
            if (connection is not null)
            {
                await connection.DisposeAsync();
            }
        }
    }

    private void Begin(BrokerConnection connection)
    {
        Interlocked.Increment(ref _connections);
        AmqpLog.Reached(_logger, Peer, _options.BrokerAddress);
        lock (_gate)
        {
            _connection = connection;
            Say(EnvelopeKind.Presence, null);
            if (!_isPresent)
            {
                Say(EnvelopeKind.Goodbye, null, isLast: true);
            }
        }
    }

    private async Task PumpAsync(BrokerConnection connection)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(connection.Ended, _stop.Token);
        while (true)
        {
            while (_outbound.TryTake(out var next))
            {
                if (next.Epoch != _epoch)
                {
                    // Added in the moment in which the broker was lost; it would follow a gap.
                    Drop(next);
                    continue;
                }

                try
                {
                    await connection.PublishAsync(next);
                }
                finally
                {
                    next.Left?.TrySetResult();
                }

                if (next.IsLast)
                {
                    await connection.FlushAsync();
                    return;
                }
            }

            await _outbound.WaitAsync(ended.Token);
        }
    }

    // Without the broker no link is up, and what waits for it is for queues that will be gone.
    private void Finish()
    {
        lock (_gate)
        {
            _connection = null;
            foreach (var link in _links.Values)
            {
                Down(link);
            }

            _cutOff.Clear();

            // This peer's next queue is a new beginning with everyone, those included that it has parted from.
            _parted.Clear();
            while (_outbound.TryTake(out var left))
            {
                Drop(left);
            }
        }
    }

    private void Drop(Outgoing message)
    {
        Interlocked.Increment(ref _dropped);
        message.Left?.TrySetResult();
    }

    private void Beat()
    {
        lock (_gate)
        {
            if (_connection is not { } connection)
            {
                return;
            }

            connection.CheckConfirms();
            foreach (var link in _links.Values.Where(link => Now - link.Heard > _options.DeadAfter))
            {
                Down(link);
            }

            _parted.Forget(Now);
            if (_isPresent)
            {
                Say(EnvelopeKind.Presence, null);
                foreach (var link in _cutOff.Values)
                {
                    Say(EnvelopeKind.CutOff, link);
                }
            }
        }
    }

    private void OnMessage(ReadOnlyMemory<byte> message)
    {
        Envelope envelope;
        ReadOnlySpan<byte> frame;
        try
        {
            envelope = Envelope.Open(message.Span, out frame);
        }
        catch (GeoSerializationException e)
        {
            Interlocked.Increment(ref _malformed);
            AmqpLog.Malformed(_logger, Peer, e.Message);
            return;
        }

        lock (_gate)
        {
            if (_isPresent && envelope.From != Peer && _connection is { } connection
                && !_parted.Contains(envelope.From, envelope.Epoch, Now))
            {
                Handle(connection, envelope, frame);
            }
        }
    }

    private void Handle(BrokerConnection connection, Envelope envelope, ReadOnlySpan<byte> frame)
    {
        var known = _links.GetValueOrDefault(envelope.From);
        if (known?.Epoch > envelope.Epoch)
        {
            return;
        }

        switch (envelope.Kind)
        {
            case EnvelopeKind.Goodbye:
                _parted.Add(envelope.From, envelope.Epoch, Now);
                Down(known);
                return;
            case EnvelopeKind.CutOff:
                AmqpLog.BeginsAnew(_logger, Peer, envelope.From);
                connection.End(null);
                return;
        }

        if (known?.Epoch == envelope.Epoch)
        {
            known.Heard = Now;
        }
        else if (!TryUp(known, envelope))
        {
            return;
        }

        if (envelope.Kind == EnvelopeKind.Frame)
        {
            _listener?.Received(envelope.From, frame);
        }
    }

    private bool TryUp(AmqpLink? before, Envelope envelope)
    {
        Down(before);
        if (_links.Count >= _options.MaxPeers)
        {
            Interlocked.Increment(ref _tooManyPeers);
            return false;
        }

        _cutOff.Remove(envelope.From);
        _links[envelope.From] = new AmqpLink(envelope.From, envelope.Epoch, QueueOf(envelope.From, envelope.Epoch)) { Heard = Now };
        _listener?.LinkUp(envelope.From);
        return true;
    }

    private void Down(AmqpLink? link)
    {
        if (link is not null && _links.TryRemove(new KeyValuePair<PeerId, AmqpLink>(link.Peer, link)))
        {
            _listener?.LinkDown(link.Peer);
        }
    }

    private void OnSettled(Outgoing message, PublishOutcome outcome)
    {
        switch (outcome)
        {
            case PublishOutcome.Confirmed:
                Interlocked.Increment(ref _confirmed);
                break;
            case PublishOutcome.Unknown:
                Interlocked.Increment(ref _unknown);
                break;
            case PublishOutcome.NotSent:
                Interlocked.Increment(ref _dropped);
                break;
            case PublishOutcome.Returned:
                Interlocked.Increment(ref _refused);
                lock (_gate)
                {
                    Down(message.To);
                    _cutOff.Remove(message.To!.Peer);
                }

                break;
            case PublishOutcome.Rejected:
                Interlocked.Increment(ref _refused);
                lock (_gate)
                {
                    OnRejected(message);
                }

                break;
        }
    }

    // One of all has a full queue; which one shows when each is sent the frame for itself. To the others it comes twice, which they notice.
    private void OnRejected(Outgoing message)
    {
        if (message.Kind != EnvelopeKind.Frame)
        {
            // What the transport itself says it says again.
            return;
        }

        if (message.To is { } full)
        {
            CutOff(full);
            return;
        }

        foreach (var link in _links.Values)
        {
            if (!_outbound.TryAdd(message with { To = link }))
            {
                Interlocked.Increment(ref _full);
                CutOff(link);
            }
        }
    }

    private void CutOff(AmqpLink link)
    {
        if (_links.TryGetValue(link.Peer, out var current) && current == link)
        {
            AmqpLog.CutOff(_logger, Peer, link.Peer);
            _parted.Add(link.Peer, link.Epoch, Now);
            _cutOff[link.Peer] = link;
            Down(link);
            Say(EnvelopeKind.CutOff, link);
        }
    }

    private string QueueOf(PeerId peer, long epoch) =>
        string.Create(CultureInfo.InvariantCulture, $"{_options.Exchange}.{peer.Name}.{epoch}");

    private sealed class Listening(AmqpOverlayTransport transport, IOverlayListener listener) : IDisposable
    {
        public void Dispose()
        {
            lock (transport._gate)
            {
                if (ReferenceEquals(transport._listener, listener))
                {
                    transport._listener = null;
                }
            }
        }
    }
}
