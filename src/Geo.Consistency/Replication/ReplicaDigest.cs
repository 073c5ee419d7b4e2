namespace Geo.Consistency;

/// <summary>
/// Tells again what the instances of this silo have told lately, all of it in a few messages, so that a lost notification leaves nobody
/// behind for long. It costs nothing while nothing is told.
/// </summary>
internal sealed class ReplicaDigest : IDisposable
{
    // Of one message: it shares its channel with requests.
    private const int MaxMessageBytes = 32 * 1024;

    private readonly Lock _gate = new();
    private readonly Dictionary<GrainKey, (byte[] Payload, int Times)> _told = [];
    private readonly IClusterMessenger _messenger;
    private readonly Func<IReadOnlyList<ClusterId>> _clusters;
    private readonly ReplicaExchangeOptions _options;
    private readonly ITimer _timer;
    private bool _isRunning;

    internal ReplicaDigest(
        IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters, ReplicaExchangeOptions options, TimeProvider time)
    {
        (_messenger, _clusters, _options) = (messenger, clusters, options);
        _timer = time.CreateTimer(
            static self => ((ReplicaDigest)self!).Tell(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>An instance has told this; a newer one takes its place.</summary>
    internal void Add(GrainKey key, ReadOnlySpan<byte> payload)
    {
        lock (_gate)
        {
            if (_told.Count >= _options.MaxDigested && !_told.ContainsKey(key))
            {
                ConsistencyMetrics.DigestsFull.Add(1);
                return;
            }

            _told[key] = (payload.ToArray(), 0);
            if (!_isRunning)
            {
                _isRunning = true;
                _timer.Change(_options.DigestInterval, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>Reads a digest.</summary>
    /// <exception cref="GeoSerializationException">The bytes are no digest.</exception>
    internal static List<(GrainKey Key, byte[] Payload)> Read(ReadOnlySpan<byte> digest)
    {
        var told = new List<(GrainKey, byte[])>();
        for (var reader = new PayloadReader(digest); !reader.Rest.IsEmpty;)
        {
            told.Add((new(reader.ReadRequiredText(), reader.ReadRequiredText()), reader.ReadBytes().ToArray()));
        }

        return told;
    }

    private void Tell()
    {
        List<(GrainKey Key, byte[] Payload)> told;
        lock (_gate)
        {
            // In an order that is the same in every process, which a simulation relies on.
            told = [.. _told.OrderBy(t => t.Key.ToString(), StringComparer.Ordinal).Select(t => (t.Key, t.Value.Payload))];
            foreach (var (key, payload) in told)
            {
                var times = _told[key].Times + 1;
                if (times < _options.DigestRepeats)
                {
                    _told[key] = (payload, times);
                }
                else
                {
                    _told.Remove(key);
                }
            }

            _isRunning = _told.Count > 0;
            if (_isRunning)
            {
                _timer.Change(_options.DigestInterval, Timeout.InfiniteTimeSpan);
            }
        }

        var writer = new PayloadWriter();
        foreach (var (key, payload) in told)
        {
            writer.WriteText(key.Type);
            writer.WriteText(key.Key);
            writer.WriteBytes(payload);
            if (writer.Written.Length >= MaxMessageBytes)
            {
                Send(key, writer);
            }
        }

        if (writer.Written.Length > 0)
        {
            Send(told[^1].Key, writer);
        }
    }

    private void Send(GrainKey key, PayloadWriter digest)
    {
        var message = ReplicaEnvelope.Write(key, EnvelopeKind.Digest, digest.Written.Span);
        digest.Reset();
        foreach (var cluster in _clusters().Where(c => c != _messenger.LocalCluster))
        {
            var isSent = _messenger.TrySend(cluster, ReplicaExchange.Service, message, new(ReplicaExchange.RequestChannel));
            (isSent ? ConsistencyMetrics.NotificationsSent : ConsistencyMetrics.NotificationsUnsent).Add(1);
        }
    }
}
