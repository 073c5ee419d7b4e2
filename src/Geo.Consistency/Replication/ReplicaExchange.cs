namespace Geo.Consistency;

/// <summary>
/// Carries messages between the instances of multi-instance grains: finds the instance that a message is for and runs it on that
/// instance's scheduler. One per silo; thread-safe.
/// </summary>
/// <remarks>
/// A notification for a grain that is not active here is dropped and counted: its next activation loads the latest version anyway.
/// Of notifications that wait for a busy grain the newest of each cluster is kept. When a link comes up again, the instances here tell
/// their latest versions anew; versions told lately are told again with a digest now and then, in case that a notification was lost.
/// </remarks>
internal sealed class ReplicaExchange : IDisposable
{
    /// <summary>The service under which the messenger delivers these messages.</summary>
    public const string Service = "geo.view";

    /// <summary>
    /// The channel of notifications: monotonic, keyed by the grain, so that a newer one replaces an older one on its way.
    /// </summary>
    public const string NotificationChannel = "geo.views";

    /// <summary>The channel of requests to other instances.</summary>
    public const string RequestChannel = "geo.control";

    private static readonly byte[] NotActive = [(byte)ExchangeReply.NotActive];
    private static readonly byte[] Busy = [(byte)ExchangeReply.Busy];

    private readonly ReplicaRegistry _replicas = new();
    private readonly IClusterMessenger _messenger;
    private readonly IReplicaLink _replicated;
    private readonly IReplicaLink _unreplicated;
    private readonly Func<IReadOnlyList<ClusterId>> _clusters;
    private readonly Func<GrainKey, CancellationToken, ValueTask<bool>> _activate;
    private readonly TimeProvider _time;
    private readonly ReplicaExchangeOptions _options;
    private readonly IDisposable _registration;
    private readonly VersionedLeaderOptions _memoryOptions;
    private Tuple<IReadOnlyList<ClusterId>, IReadOnlyList<ClusterId>>? _others;
    private int _waitingRequests;

    /// <summary>Registers the service with the messenger.</summary>
    /// <param name="messenger">Carries the messages.</param>
    /// <param name="clusters">The clusters of the present configuration; the local one may be among them.</param>
    /// <param name="activate">
    /// Activates a grain that another cluster asks for, and registers its view, before it ends with true; false when the grain cannot
    /// be activated here.
    /// </param>
    /// <param name="time">The clock of the time-outs.</param>
    /// <param name="random">
    /// The identities of memories; as for <see cref="ViewServices"/>, and safe for as many threads as messages arrive on.
    /// </param>
    /// <param name="options">Limits; the defaults when null.</param>
    /// <param name="leader">Limits and times of volatile grains; the defaults when null.</param>
    public ReplicaExchange(
        IClusterMessenger messenger,
        Func<IReadOnlyList<ClusterId>> clusters,
        Func<GrainKey, CancellationToken, ValueTask<bool>> activate,
        TimeProvider time,
        Random random,
        ReplicaExchangeOptions? options = null,
        VersionedLeaderOptions? leader = null)
    {
        _messenger = messenger;
        _replicated = new ReplicaLink(this);
        _unreplicated = new UnreplicatedLink(messenger.LocalCluster);
        _clusters = clusters;
        _activate = activate;
        _time = time;
        _options = options ?? new();
        leader ??= new();
        Memories = new ReplicaMemories(messenger.LocalCluster, clusters, leader, random, time, SendAsync, MemoryChanged)
        {
            SendMany = SendManyAsync,
            MayAttach = IsRegistered,
        };
        _memoryOptions = leader;
        Digest = new(messenger, clusters, _options, time);
        _registration = messenger.Handle(Service, HandleAsync);
        messenger.LinkUp += OnLinkUp;
    }

    internal IClusterMessenger Messenger => _messenger;

    internal TimeSpan RequestTimeout => _options.RequestTimeout;

    /// <summary>The other clusters of the present configuration.</summary>
    internal IReadOnlyList<ClusterId> Others
    {
        get
        {
            // The configuration seldom changes, and when it does it is another list.
            var (configuration, others) = (_clusters(), Volatile.Read(ref _others));
            if (others is null || !ReferenceEquals(configuration, others.Item1))
            {
                others = new(configuration, [.. configuration.Where(c => c != _messenger.LocalCluster)]);
                Volatile.Write(ref _others, others);
            }

            return others.Item2;
        }
    }

    /// <summary>What was told lately, and is told again.</summary>
    internal ReplicaDigest Digest { get; }

    /// <summary>What the clusters' volatile grains remember on this silo.</summary>
    internal ReplicaMemories Memories { get; }

    /// <summary>
    /// Brings the memory of a grain to this silo, which may be on another of its cluster; null in a silo that is its cluster.
    /// </summary>
    internal Func<GrainKey, CancellationToken, Task>? Claim { get; set; }

    /// <summary>
    /// Makes an instance reachable until the returned registration is disposed, or another instance of the grain registers: the one before
    /// was given up by its host then. Its view is disposed of on its scheduler, so that it confirms and writes nothing any more.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="replica">Its view.</param>
    /// <param name="scheduler">The view's scheduler.</param>
    /// <param name="leave">
    /// Ends the grain's instance, because another silo of the cluster has one now; called on any thread. Nothing when null.
    /// </param>
    public IDisposable Register(GrainKey key, IReplica replica, TaskScheduler scheduler, Action<GrainKey>? leave = null)
    {
        var registered = new RegisteredReplica(_replicas, key, replica, scheduler, leave);
        _replicas.Add(registered)?.IsReplaced();
        return registered;
    }

    /// <summary>The link over which views reach the other instances of their grains.</summary>
    /// <param name="replicated">False for single-instance grains, which have no others.</param>
    public IReplicaLink LinkFor(bool replicated) => replicated ? _replicated : _unreplicated;

    /// <summary>
    /// True when a request's reply says that the grain is not active in the process that answered; a host whose cluster has several
    /// processes then asks the next one.
    /// </summary>
    public static bool SaysNotActive(ReadOnlySpan<byte> reply) => reply.SequenceEqual(NotActive);

    /// <summary>
    /// Lets other clusters lead the volatile grains that this silo leads; to be awaited before it stops, once its grains have ended. Takes
    /// at most <see cref="VersionedLeaderOptions.HandOverWait"/> and one request.
    /// </summary>
    public Task HandOverAsync() => Memories.HandOverAsync();

    /// <summary>Takes no more messages.</summary>
    public void Dispose()
    {
        _messenger.LinkUp -= OnLinkUp;
        _registration.Dispose();
        Memories.Dispose();
        Digest.Dispose();
    }

    /// <inheritdoc cref="VersionedLeaderOptions.EnsureCarriedBy"/>
    internal void EnsureCarriesMemories() => _memoryOptions.EnsureCarriedBy(_messenger);

    /// <summary>True until the instance's registration is disposed, or the next one has its place.</summary>
    internal bool IsRegistered(GrainKey key, IMemoryWatcher watcher) =>
        _replicas.Find(key)?.IsFor(watcher) == true;

    /// <summary>The memory of a grain for an instance of it; null for one whose host has given it up.</summary>
    /// <exception cref="GeoUnavailableException">Another silo of the cluster has it, or may have it.</exception>
    internal async Task<ReplicaMemory?> AttachAsync(
        GrainKey key, IMemoryWatcher watcher, UpdateConfirmation confirmation, ClusterId named, CancellationToken cancellationToken)
    {
        if (Claim is not null && Memories.Find(key) is null)
        {
            await Claim(key, cancellationToken);
        }

        return Memories.TryAttach(key, watcher, confirmation, named, mayBegin: Claim is null)
            ?? (IsRegistered(key, watcher) ? throw Taken(key) : null);
    }

    /// <summary>Answers a message for a memory that no silo of the cluster has: it begins here.</summary>
    internal async ValueTask<ReadOnlyMemory<byte>> BeginMemoryAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        var envelope = ReplicaEnvelope.Read(message.Payload);
        if (envelope.Kind != EnvelopeKind.Memory)
        {
            return NotActive;
        }

        await Claim!(envelope.Grain, cancellationToken);
        var memory = Memories.Find(envelope.Grain) ?? throw Taken(envelope.Grain);
        return ReplicaEnvelope.WriteReply(memory.Answer(message.From, envelope.Payload));
    }

    /// <summary>Between its coming and its use another silo may have it: one begun here would be a second one.</summary>
    private static GeoUnavailableException Taken(GrainKey key) =>
        new($"Another silo of the cluster has taken the memory of {key} meanwhile; try again.");

    /// <summary>Asks an instance that is in the way to end.</summary>
    internal void AskToLeave(GrainKey key) => _replicas.Find(key)?.Leave();

    private void OnLinkUp(ClusterId cluster)
    {
        foreach (var replica in _replicas.All)
        {
            replica.LinkUp(cluster);
        }

        _ = Memories.LinkUpAsync(cluster);
    }

    private void MemoryChanged(GrainKey key) => _replicas.Find(key)?.MemoryChanged();

    private async ValueTask<ClusterReply> SendAsync(
        GrainKey key, ClusterId to, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var reply = await _messenger.RequestAsync(
            to, Service, ReplicaEnvelope.Write(key, EnvelopeKind.Memory, payload.Span),
            new(RequestChannel, key.ToPartitionKey(), _memoryOptions.AnswerWait), cancellationToken);
        return ReplicaLink.Read(to, key, reply, mustBeThere: true);
    }

    private ValueTask<ClusterReply> SendManyAsync(
        ClusterId to, IReadOnlyList<(GrainKey Key, byte[] Payload)> messages, CancellationToken cancellationToken) =>
        _messenger.RequestAsync(
            to, Service, EnvelopeBundle.Write([.. messages.Select(m => ReplicaEnvelope.Write(m.Key, EnvelopeKind.Memory, m.Payload))]),
            new(RequestChannel, messages[0].Key.ToPartitionKey(), _memoryOptions.AnswerWait), cancellationToken);

    private ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (EnvelopeBundle.Is(message))
        {
            return EnvelopeBundle.DeliverAsync(message, HandleAsync, cancellationToken);
        }

        var envelope = ReplicaEnvelope.Read(message.Payload);
        if (envelope.Kind == EnvelopeKind.Memory)
        {
            var memory = Claim is null ? Memories.GetOrCreate(envelope.Grain) : Memories.Find(envelope.Grain);
            return new(memory is null ? NotActive : ReplicaEnvelope.WriteReply(memory.Answer(message.From, envelope.Payload)));
        }

        if (envelope.Kind == EnvelopeKind.Digest)
        {
            foreach (var (key, payload) in ReplicaDigest.Read(envelope.Payload.Span))
            {
                _replicas.Find(key)?.TellAgain(message.From, payload, cancellationToken);
            }

            return default;
        }

        var replica = _replicas.Find(envelope.Grain);
        if (message.ExpectsReply)
        {
            return HandleRequestAsync(message.From, envelope, replica, cancellationToken);
        }

        if (replica is null)
        {
            ConsistencyMetrics.NotificationsDropped.Add(1);
        }
        else
        {
            replica.Notify(message.From, envelope.Payload, cancellationToken);
        }

        return default;
    }

    private async ValueTask<ReadOnlyMemory<byte>> HandleRequestAsync(
        ClusterId from, ReplicaEnvelope envelope, RegisteredReplica? replica, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _waitingRequests) > _options.MaxWaitingRequests)
        {
            Interlocked.Decrement(ref _waitingRequests);
            ConsistencyMetrics.RequestsRefused.Add(1);
            return Busy;
        }

        // The requester has given up by then: what waits longer, for an activation or for a view, would keep the place of others.
        using var limit = new CancellationTokenSource(_options.RequestTimeout, _time);
        using var stop = cancellationToken.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            if (replica is null && envelope.Kind == EnvelopeKind.Activate && await _activate(envelope.Grain, limit.Token))
            {
                replica = _replicas.Find(envelope.Grain);
            }

            return replica is null
                ? NotActive
                : ReplicaEnvelope.WriteReply(await replica.RequestAsync(from, envelope.Payload, limit.Token));
        }
        finally
        {
            Interlocked.Decrement(ref _waitingRequests);
        }
    }
}
