using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>
/// The way to other clusters of a silo among others: where it has no link of its own, a sibling that has one sends the message. Without
/// that, a silo that cannot reach a cluster which its siblings do reach would act as in a partition and make duplicates.
/// </summary>
/// <remarks>One hop: a sibling sends over its own link or not at all. What arrives for the cluster arrives at any silo as it is.</remarks>
internal sealed class SiblingRelay : IClusterMessenger, IDisposable
{
    /// <summary>The service by which silos send for each other.</summary>
    public const string Service = "geo.relay";

    // For this long a cluster that no sibling reached is taken for out of reach of all, so that a real cut costs few questions.
    private static readonly TimeSpan NobodyFor = TimeSpan.FromSeconds(1);

    // The answer of the sibling takes a little longer than that of the cluster.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(1);

    private readonly IClusterMessenger _own;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;
    private readonly IDisposable _registration;
    private readonly ConcurrentDictionary<ClusterId, string> _ways = new();
    private readonly ConcurrentDictionary<ClusterId, long> _nobodySince = new();
    private readonly ConcurrentDictionary<ClusterId, long> _reachedAt = new();
    private readonly ConcurrentDictionary<ClusterId, bool> _silent = new();
    private readonly RelayLimits _limits;
    private readonly SiloMetrics _metrics;
    private readonly Lock _gate = new();
    private int _relayed;
    private long _relayedBytes;

    /// <param name="own">This silo's own links.</param>
    /// <param name="membership">The silos of this cluster.</param>
    /// <param name="siblings">The way to them.</param>
    /// <param name="timeout">How long a request without a time-out of its own waits.</param>
    /// <param name="time">The clock.</param>
    /// <param name="limits">How much it sends for others at a time; the defaults when null.</param>
    public SiblingRelay(
        IClusterMessenger own, ISiloMembership membership, ISiblings siblings, TimeSpan timeout, TimeProvider time,
        RelayLimits? limits = null)
    {
        (_own, _membership, _siblings, _timeout, _time, _limits) = (own, membership, siblings, timeout, time, limits ?? new());
        _metrics = new SiloMetrics(own.LocalCluster);
        _registration = siblings.Handle(Service, SendForSiblingAsync);
        own.LinkUp += OnLinkUp;
    }

    public event Action<ClusterId>? LinkUp
    {
        add => _own.LinkUp += value;
        remove => _own.LinkUp -= value;
    }

    public event Action<ClusterId>? LinkDown
    {
        add => _own.LinkDown += value;
        remove => _own.LinkDown -= value;
    }

    public ClusterId LocalCluster => _own.LocalCluster;

    /// <inheritdoc/>
    public IReadOnlyCollection<ClusterId> Others => _own.Others;

    /// <inheritdoc/>
    public int MaxMessageBytes => _own.MaxMessageBytes;

    /// <summary>As far as this silo's own links go.</summary>
    public bool IsLinked(ClusterId cluster) => _own.IsLinked(cluster);

    /// <summary>
    /// True when the last that was heard of a cluster, since the own link to it went, is that a sibling reaches it.
    /// </summary>
    public bool Reaches(ClusterId cluster) =>
        _reachedAt.ContainsKey(cluster) && !_nobodySince.ContainsKey(cluster) && !_silent.ContainsKey(cluster);

    /// <summary>
    /// How long ago a sibling was last known to reach a cluster, since the own link to it went; null if none was.
    /// </summary>
    public TimeSpan? ReachedAgo(ClusterId cluster) =>
        _reachedAt.TryGetValue(cluster, out var reached) ? _time.GetElapsedTime(reached) : null;

    public IDisposable Handle(string service, ClusterMessageHandler handler) => _own.Handle(service, handler);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        IsMine(to)
            ? _own.RequestAsync(to, service, payload, options, cancellationToken)
            : AskSiblingsAsync(new RelayedMessage(to, service, options, ExpectsReply: true, payload), cancellationToken);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
    {
        if (IsMine(to) || Ways(to).FirstOrDefault() is not { } node)
        {
            return _own.TrySend(to, service, payload, options);
        }

        _siblings.Tell(node, Service, new RelayedMessage(to, service, options, ExpectsReply: false, payload).Encode());
        return true;
    }

    public void Dispose()
    {
        _own.LinkUp -= OnLinkUp;
        _registration.Dispose();
        _metrics.Dispose();
    }

    private bool IsMine(ClusterId to) =>
        to == _own.LocalCluster || _own.IsLinked(to) || SwitchedOff.Is(ProtocolRule.SiblingsRelay)
        || (_nobodySince.TryGetValue(to, out var since) && _time.GetElapsedTime(since) < NobodyFor);

    /// <summary>The siblings to offer a message to, in a circle: first the one that was last of use.</summary>
    private IEnumerable<string> Ways(ClusterId to)
    {
        var siblings = _membership.Siblings;
        return _ways.TryGetValue(to, out var first) && _membership.Members.MayBeCalled(first)
            ? siblings.SkipWhile(node => node != first).Concat(siblings.TakeWhile(node => node != first))
            : siblings;
    }

    private string After(string node) =>
        _membership.Siblings.SkipWhile(sibling => sibling != node).Skip(1).FirstOrDefault()
        ?? _membership.Siblings.FirstOrDefault() ?? node;

    private async ValueTask<ClusterReply> AskSiblingsAsync(RelayedMessage message, CancellationToken cancellationToken)
    {
        byte[]? question = null;
        ClusterReply? refused = null;
        var isReached = false;
        var asked = _time.GetTimestamp();
        var timeout = LongestWait.Clamp(LongestWait.Clamp(message.Options.Timeout ?? _timeout) + Slack);

        // However many they are: together they have the time of one request.
        foreach (var node in Ways(message.To))
        {
            var left = LongestWait.Clamp(timeout - _time.GetElapsedTime(asked));
            var answer = await _siblings.AskAsync(node, Service, question ??= message.Encode(), left, cancellationToken);
            var (reply, busy) = answer.Outcome == ReplyOutcome.Replied ? RelayedMessage.DecodeReply(answer.Payload) : (answer, false);
            if (busy || reply.Outcome == ReplyOutcome.Replied || reply.IsNotServed)
            {
                _reachedAt[message.To] = _time.GetTimestamp();
                _nobodySince.TryRemove(message.To, out _);
                _silent.TryRemove(message.To, out _);
            }
            else if (answer.Outcome == ReplyOutcome.Unknown)
            {
                _silent[message.To] = true;
            }

            if (reply.Outcome != ReplyOutcome.Refused)
            {
                // Who did not answer at all may have gone, and another one may have a link: it is asked last the next time.
                _ways[message.To] = answer.Outcome == ReplyOutcome.Replied ? node : After(node);
                return reply;
            }

            refused = isReached ? refused : reply;
            isReached |= busy || reply.IsNotServed;
        }

        if (isReached)
        {
            // The cluster is within reach, and the next message may find room, or a service that is there.
            return refused!.Value;
        }

        _ways.TryRemove(message.To, out _);
        _nobodySince[message.To] = _time.GetTimestamp();
        return refused
            ?? await _own.RequestAsync(message.To, message.Service, message.Payload, message.Options, cancellationToken);
    }

    private async ValueTask<ReadOnlyMemory<byte>> SendForSiblingAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var message = RelayedMessage.Decode(question);
        if (!message.ExpectsReply)
        {
            _ = _own.TrySend(message.To, message.Service, message.Payload, message.Options);
            return default;
        }

        var bytes = question.Length;
        if (!TryBegin(bytes))
        {
            _metrics.RelayRefused();
            var reason = $"silo '{_membership.Local}' has as much under way for others as it takes: {_limits}";
            return RelayedMessage.EncodeReply(ClusterReply.Refused(reason), isBusy: _own.IsLinked(message.To));
        }

        try
        {
            return RelayedMessage.EncodeReply(
                await _own.RequestAsync(message.To, message.Service, message.Payload, message.Options, cancellationToken));
        }
        finally
        {
            lock (_gate)
            {
                (_relayed, _relayedBytes) = (_relayed - 1, _relayedBytes - bytes);
            }
        }
    }

    /// <summary>Room for one more; one alone is never too large. What is refused does not mean that its cluster is out of reach.</summary>
    private bool TryBegin(int bytes)
    {
        lock (_gate)
        {
            if (_relayed >= _limits.Messages || (_relayed > 0 && _relayedBytes + bytes > _limits.Bytes))
            {
                return false;
            }

            (_relayed, _relayedBytes) = (_relayed + 1, _relayedBytes + bytes);
            return true;
        }
    }

    private void OnLinkUp(ClusterId cluster)
    {
        _nobodySince.TryRemove(cluster, out _);
        _reachedAt.TryRemove(cluster, out _);
        _silent.TryRemove(cluster, out _);
    }
}
