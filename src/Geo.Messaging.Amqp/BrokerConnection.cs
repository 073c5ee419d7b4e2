using System.Globalization;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Geo.Messaging.Amqp;

/// <summary>
/// One connection to the broker with a queue of its own, which goes with it. Publishes in order and learns by publisher confirms what
/// became of each message; hands over what arrives, no faster than it is handled.
/// </summary>
internal sealed class BrokerConnection : IAsyncDisposable
{
    private readonly AmqpOptions _options;
    private readonly TimeProvider _time;
    private readonly Action<Outgoing, PublishOutcome> _settled;
    private readonly Lock _lock = new();
    private readonly SortedDictionary<ulong, Outgoing> _unconfirmed = [];
    private readonly SemaphoreSlim _room;
    private readonly CancellationTokenSource _closing = new();
    private readonly IConnection _connection;

    // A channel of the library must not be used for two things at once.
    private readonly IChannel _publishing;
    private readonly IChannel _consuming;
    private int _unacknowledged;

    private BrokerConnection(
        AmqpOptions options, TimeProvider time, IConnection connection, IChannel publishing, IChannel consuming,
        Action<Outgoing, PublishOutcome> settled)
    {
        (_options, _time, _connection, _publishing, _consuming, _settled) = (options, time, connection, publishing, consuming, settled);
        _room = new SemaphoreSlim(options.Unconfirmed);
        publishing.BasicAcksAsync += (_, acks) => Settle(acks.DeliveryTag, acks.Multiple, PublishOutcome.Confirmed);
        publishing.BasicNacksAsync += (_, nacks) => Settle(nacks.DeliveryTag, nacks.Multiple, PublishOutcome.Rejected);
        publishing.BasicReturnAsync += OnReturned;
        connection.ConnectionShutdownAsync += (_, shutdown) => EndAsync(shutdown.ReplyText);
        publishing.ChannelShutdownAsync += (_, shutdown) => EndAsync(shutdown.ReplyText);
        consuming.ChannelShutdownAsync += (_, shutdown) => EndAsync(shutdown.ReplyText);
    }

    /// <summary>Cancelled when the connection is lost or to be left.</summary>
    public CancellationToken Ended => _closing.Token;

    /// <summary>Why it ended; null when this peer wanted it.</summary>
    public string? Reason { get; private set; }

    /// <summary>Connects, declares the exchange and the queue, and begins to receive.</summary>
    public static async Task<BrokerConnection> OpenAsync(
        AmqpOptions options, TimeProvider time, string queue, Action<ReadOnlyMemory<byte>> received,
        Action<Outgoing, PublishOutcome> settled,
        CancellationToken cancellationToken)
    {
        var connection = await FactoryOf(options).CreateConnectionAsync(cancellationToken);
        try
        {
            var publishing = await connection.CreateChannelAsync(
                new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
                cancellationToken);
            var consuming = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
            var opened = new BrokerConnection(options, time, connection, publishing, consuming, settled);
            await opened.ConsumeAsync(queue, received, cancellationToken);
            return opened;
        }
        catch
        {
            await connection.AbortAsync(options.ConnectTimeout);
            await connection.DisposeAsync();
            throw;
        }
    }

    /// <summary>Sends a message; waits while as many are unconfirmed as may be.</summary>
    /// <exception cref="TimeoutException">The broker has confirmed nothing for too long.</exception>
    public async ValueTask PublishAsync(Outgoing message)
    {
        ulong number;
        try
        {
            if (!await _room.WaitAsync(_options.ConfirmTimeout, Ended))
            {
                throw new TimeoutException(
                    $"The broker has not confirmed {_options.Unconfirmed} messages within {_options.ConfirmTimeout}.");
            }

            number = await _publishing.GetNextPublishSequenceNumberAsync(Ended);
        }
        catch
        {
            _settled(message, PublishOutcome.NotSent);
            throw;
        }

        message.Sent = Now;
        lock (_lock)
        {
            _unconfirmed.Add(number, message);
        }

        // Only a message for one queue can find that nobody has it: the exchange may well have none but this peer's.
        var properties = new BasicProperties { MessageId = number.ToString(CultureInfo.InvariantCulture) };
        await _publishing.BasicPublishAsync(
            message.To is null ? _options.Exchange : "", message.To?.Queue ?? "", mandatory: message.To is not null, properties,
            message.Body, Ended);
    }

    /// <summary>Waits until all that was sent is confirmed.</summary>
    /// <exception cref="TimeoutException">The broker has confirmed nothing for too long.</exception>
    public async ValueTask FlushAsync()
    {
        for (var all = _options.Unconfirmed; all > 0; all--)
        {
            if (!await _room.WaitAsync(_options.ConfirmTimeout, Ended))
            {
                throw new TimeoutException($"The broker has not confirmed all messages within {_options.ConfirmTimeout}.");
            }
        }
    }

    /// <summary>Ends the connection when the broker has left the oldest message unconfirmed for too long.</summary>
    public void CheckConfirms()
    {
        lock (_lock)
        {
            if (_unconfirmed.Count == 0 || Now - _unconfirmed.First().Value.Sent < _options.ConfirmTimeout)
            {
                return;
            }
        }

        End($"it has not confirmed a message within {_options.ConfirmTimeout}");
    }

    /// <summary>Begins to leave; whoever uses the connection then disposes of it.</summary>
    /// <param name="reason">Why; null when all is well.</param>
    public void End(string? reason)
    {
        lock (_lock)
        {
            if (!_closing.IsCancellationRequested)
            {
                Reason = reason;
            }
        }

        // Not here: whoever waits for it goes on elsewhere.
        _ = _closing.CancelAsync();
    }

    public async ValueTask DisposeAsync()
    {
        End(null);
        await _connection.AbortAsync(_options.ConnectTimeout);
        await _connection.DisposeAsync();
        Outgoing[] unknown;
        lock (_lock)
        {
            unknown = [.. _unconfirmed.Values];
            _unconfirmed.Clear();
        }

        Array.ForEach(unknown, message => _settled(message, PublishOutcome.Unknown));
    }

    private TimeSpan Now => _time.GetElapsedTime(0);

    private static ConnectionFactory FactoryOf(AmqpOptions options)
    {
        var factory = new ConnectionFactory
        {
            Uri = options.Broker,
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedConnectionTimeout = options.ConnectTimeout,
            HandshakeContinuationTimeout = options.ConnectTimeout,
            ContinuationTimeout = options.ConnectTimeout,
            RequestedHeartbeat = TimeSpan.FromSeconds(Math.Max(1, Math.Ceiling(options.DeadAfter.TotalSeconds))),
            ClientProvidedName = options.Peer.Name,
        };
        if (options.IsSecure)
        {
            // The library's own setting for such an address accepts a certificate of any host.
            factory.Ssl.ServerName = options.Broker.IdnHost;
            factory.Ssl.AcceptablePolicyErrors = SslPolicyErrors.None;
            factory.Ssl.Certs = options.ClientCertificate is { } certificate ? new X509CertificateCollection { certificate } : null;
            if (options.AuthorityFile is { } file)
            {
                factory.Ssl.CertificateValidationCallback = (_, shown, chain, errors) => IsSignedBy(file, shown, chain, errors);
            }
        }

        return factory;
    }

    private static bool IsSignedBy(string authorityFile, X509Certificate? shown, X509Chain? with, SslPolicyErrors errors)
    {
        // That the machine does not know the authority is what is made up for here, and nothing else.
        if (shown is not X509Certificate2 certificate || (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != SslPolicyErrors.None)
        {
            return false;
        }

        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.CustomTrustStore.ImportFromPemFile(authorityFile);
        chain.ChainPolicy.ExtraStore.AddRange(with?.ChainPolicy.ExtraStore ?? []);
        return chain.Build(certificate);
    }

    private async Task ConsumeAsync(string queue, Action<ReadOnlyMemory<byte>> received, CancellationToken cancellationToken)
    {
        await _consuming.ExchangeDeclareAsync(
            _options.Exchange, ExchangeType.Fanout, durable: false, autoDelete: true, cancellationToken: cancellationToken);

        // Full queues refuse what is new, and the sender hears of it: nothing disappears in silence.
        var limits = new Dictionary<string, object?>
        {
            ["x-max-length"] = _options.QueueMessages,
            ["x-max-length-bytes"] = _options.QueueBytes,
            ["x-overflow"] = "reject-publish",
        };
        await _consuming.QueueDeclareAsync(
            queue, durable: false, exclusive: true, autoDelete: true, limits, cancellationToken: cancellationToken);
        await _consuming.QueueBindAsync(queue, _options.Exchange, "", cancellationToken: cancellationToken);
        await _consuming.BasicQosAsync(0, (ushort)_options.Prefetch, global: false, cancellationToken);
        var consumer = new AsyncEventingBasicConsumer(_consuming);
        consumer.ReceivedAsync += async (_, delivery) =>
        {
            if (Ended.IsCancellationRequested)
            {
                return;
            }

            received(delivery.Body);
            if (++_unacknowledged >= _options.Prefetch / 4)
            {
                _unacknowledged = 0;
                await _consuming.BasicAckAsync(delivery.DeliveryTag, multiple: true, CancellationToken.None);
            }
        };
        await _consuming.BasicConsumeAsync(queue, autoAck: false, consumer, cancellationToken);
    }

    private Task OnReturned(object sender, BasicReturnEventArgs returned)
    {
        if (ulong.TryParse(returned.BasicProperties.MessageId, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
        {
            lock (_lock)
            {
                if (_unconfirmed.TryGetValue(number, out var message))
                {
                    // Its confirm follows.
                    message.IsReturned = true;
                }
            }
        }

        return Task.CompletedTask;
    }

    private Task Settle(ulong number, bool upTo, PublishOutcome outcome)
    {
        List<Outgoing> settled = [];
        lock (_lock)
        {
            if (!upTo)
            {
                if (_unconfirmed.Remove(number, out var message))
                {
                    settled.Add(message);
                }
            }
            else
            {
                while (_unconfirmed.Count > 0 && _unconfirmed.First() is var (oldest, message) && oldest <= number)
                {
                    _unconfirmed.Remove(oldest);
                    settled.Add(message);
                }
            }
        }

        foreach (var message in settled)
        {
            _room.Release();
            _settled(message, message.IsReturned ? PublishOutcome.Returned : outcome);
        }

        return Task.CompletedTask;
    }

    private Task EndAsync(string reason)
    {
        End(reason);
        return Task.CompletedTask;
    }
}
