using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// Brings messages between instances of a grain to the silo that has the instance: they arrive at any silo of the cluster, and the silos
/// pass them on to each other. Notifications for sleeping grains end there; they wake nobody.
/// </summary>
internal sealed class ReplicaRelay : IClusterMessenger, IDisposable
{
    private const string SiblingService = "geo.view";

    private readonly IClusterMessenger _messenger;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly Func<string, bool> _isGone;
    private readonly TimeSpan _timeout;
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private readonly MemoryClaims _claims;
    private ClusterMessageHandler? _local;

    /// <summary>Creates the relay and its exchange.</summary>
    /// <param name="messenger">The way to the other clusters.</param>
    /// <param name="membership">The silos of this cluster.</param>
    /// <param name="siblings">The way to them.</param>
    /// <param name="clusters">As for <see cref="ReplicaExchange"/>.</param>
    /// <param name="activate">As for <see cref="ReplicaExchange"/>.</param>
    /// <param name="isGone">True when a silo certainly serves nothing any more, whatever the membership calls it.</param>
    /// <param name="logger">The log.</param>
    /// <param name="time">As for <see cref="ReplicaExchange"/>.</param>
    /// <param name="random">As for <see cref="ReplicaExchange"/>.</param>
    /// <param name="options">As for <see cref="ReplicaExchange"/>.</param>
    /// <param name="leader">As for <see cref="ReplicaExchange"/>.</param>
    public ReplicaRelay(
        IClusterMessenger messenger, ISiloMembership membership, ISiblings siblings, Func<IReadOnlyList<ClusterId>> clusters,
        Func<GrainKey, CancellationToken, ValueTask<bool>> activate, Func<string, bool> isGone, ILogger logger, TimeProvider time,
        Random random, ReplicaExchangeOptions? options = null, VersionedLeaderOptions? leader = null)
    {
        options ??= new();
        (_messenger, _membership, _siblings, _isGone) = (messenger, membership, siblings, isGone);
        (_timeout, _logger) = (options.RequestTimeout, logger);
        Exchange = new ReplicaExchange(this, clusters, activate, time, random, options, leader);
        _claims = new MemoryClaims(Exchange, membership, siblings, isGone, random, options.RequestTimeout, time);
        _registration = siblings.Handle(SiblingService, DeliverAsync);
    }

    /// <summary>The exchange of this silo.</summary>
    public ReplicaExchange Exchange { get; }

    /// <summary>
    /// Lets other silos of the cluster have what volatile grains remember here, and other clusters lead what is left; to be awaited before
    /// the silo stops, once its grains have ended.
    /// </summary>
    public async Task HandOverAsync()
    {
        await _claims.MoveAwayAsync();
        await Exchange.HandOverAsync();
    }

    public ClusterId LocalCluster => _messenger.LocalCluster;

    public int MaxMessageBytes => _messenger.MaxMessageBytes;

    public event Action<ClusterId>? LinkUp
    {
        add => _messenger.LinkUp += value;
        remove => _messenger.LinkUp -= value;
    }

    public event Action<ClusterId>? LinkDown
    {
        add => _messenger.LinkDown += value;
        remove => _messenger.LinkDown -= value;
    }

    public bool IsLinked(ClusterId cluster) => _messenger.IsLinked(cluster);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        _messenger.RequestAsync(to, service, payload, options, cancellationToken);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        _messenger.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        _local = handler;
        return _messenger.Handle(service, ReceiveAsync);
    }

    public void Dispose()
    {
        _registration.Dispose();
        _claims.Dispose();
        Exchange.Dispose();
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (EnvelopeBundle.Is(message))
        {
            return await EnvelopeBundle.DeliverAsync(message, ReceiveAsync, cancellationToken);
        }

        if (!message.ExpectsReply)
        {
            var notice = Write(message);
            foreach (var node in _membership.Siblings)
            {
                _siblings.Tell(node, SiblingService, notice);
            }

            return await _local!(message, cancellationToken);
        }

        var reply = await _local!(message, cancellationToken);
        var question = default(ReadOnlyMemory<byte>);
        foreach (var node in _membership.Siblings.Where(node => !_isGone(node)))
        {
            if (!ReplicaExchange.SaysNotActive(reply.Span))
            {
                break;
            }

            question = question.IsEmpty ? Write(message) : question;
            var answer = await _siblings.AskAsync(node, SiblingService, question, _timeout, cancellationToken);
            if (answer.Outcome != ReplyOutcome.Replied)
            {
                // The instance may be on that silo: what the request did is not known.
                ViewLog.RelayFailed(_logger, node, answer.Reason);
                throw new GeoUnavailableException($"Silo '{node}', which may have the instance, does not answer: {answer.Reason}");
            }

            reply = answer.Payload;
        }

        return ReplicaExchange.SaysNotActive(reply.Span) ? await Exchange.BeginMemoryAsync(message, cancellationToken) : reply;
    }

    /// <summary>A message that another silo of this cluster passes on.</summary>
    private ValueTask<ReadOnlyMemory<byte>> DeliverAsync(ReadOnlyMemory<byte> passedOn, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(passedOn.Span);
        var expectsReply = reader.ReadByte() != 0;
        var from = new ClusterId(reader.ReadRequiredText());
        return _local!(new ClusterMessage(from, ReplicaExchange.Service, passedOn[^reader.Rest.Length..], expectsReply), cancellationToken);
    }

    private static byte[] Write(in ClusterMessage message)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(message.ExpectsReply ? (byte)1 : (byte)0);
        writer.WriteText(message.From.Name);
        message.Payload.Span.CopyTo(writer.GetSpan(message.Payload.Length));
        writer.Advance(message.Payload.Length);
        return writer.ToArray();
    }
}
