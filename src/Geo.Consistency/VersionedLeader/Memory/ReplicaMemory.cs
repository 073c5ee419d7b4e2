// Longer than most: all that changes one memory, under one lock.
namespace Geo.Consistency;

/// <summary>
/// One cluster's memory of a volatile grain, on the silo that keeps it: it answers candidates and leaders, asks to lead, and tells its log
/// to the others where it leads, whether or not the grain is active. Only deciding needs an instance. Thread-safe.
/// </summary>
internal sealed class ReplicaMemory(GrainKey key, ReplicaMemories silo, LeaderReplica replica)
{
    // Of terms that are asked for before who waits is told that none has begun.
    private const int MaxAttempts = 3;

    private readonly ReplicaMemories _silo = silo;
    private List<RoundWait>? _rounds;
    private LeaderReplica _replica = replica;
    private IMemoryWatcher? _watcher;
    private AppendFeeds? _feeds;
    private Task<string?>? _asking;
    private TermQuestions? _questions;
    private LeadershipMoves? _moves;
    private UpdateConfirmation _confirmation;
    private bool _knowsConfirmation;
    private bool _isDropped;

    internal GrainKey Key => key;

    /// <summary>True once the memory has ended.</summary>
    internal bool IsDropped => _isDropped;

    private AppendFeeds Feeds => LazyInitializer.EnsureInitialized(ref _feeds, () => new(this, _silo));

    /// <summary>How the leadership goes elsewhere.</summary>
    internal LeadershipMoves Moves => LazyInitializer.EnsureInitialized(ref _moves, () => new(this, _silo));

    /// <summary>The place among the memories of grains that are not active, oldest use first, with the bytes that it counts for.</summary>
    internal LinkedListNode<(ReplicaMemory Memory, long Bytes)>? Parked { get; set; }

    /// <summary>When updates are confirmed, by the grain's class; null while nobody has said so: then this replica must not lead.</summary>
    internal UpdateConfirmation? Confirmation
    {
        get => _knowsConfirmation ? _confirmation : null;
        set => (_confirmation, _knowsConfirmation) = (value ?? default, value is not null);
    }

    /// <summary>The cluster that is to lead, as the grain's class has it; none where it names none, or nobody has said so here.</summary>
    internal ClusterId Named { get; private set; }

    /// <summary>The memory as it is now.</summary>
    internal LeaderReplica Replica
    {
        get
        {
            lock (this)
            {
                return _replica;
            }
        }
    }

    /// <summary>The memory as it is now, under the present configuration.</summary>
    internal LeaderReplica Present() => Change(static replica => (replica, replica)).Replica;

    /// <summary>An instance shows and changes this memory from now on; one before it does not any more.</summary>
    internal void Attach(IMemoryWatcher watcher, UpdateConfirmation confirmation, ClusterId named)
    {
        lock (this)
        {
            (_watcher, Confirmation, Named) = (watcher, confirmation, named);
        }
    }

    /// <summary>True while no other instance shows and changes this memory.</summary>
    internal bool IsShownBy(IMemoryWatcher watcher) => Volatile.Read(ref _watcher) == watcher;

    /// <summary>The memory ends: whatever still runs for it finds nothing to change. A later one of this grain is another life.</summary>
    internal void Drop()
    {
        lock (this)
        {
            _isDropped = true;
        }
    }

    /// <summary>The instance has ended; false when another one has come after it.</summary>
    internal bool Detach(IMemoryWatcher watcher)
    {
        lock (this)
        {
            var isLast = _watcher == watcher;
            _watcher = isLast ? null : _watcher;
            return isLast;
        }
    }

    /// <summary>Answers a candidate, a leader, or who wants this replica to lead.</summary>
    /// <exception cref="GeoSerializationException">The message is damaged or of a kind that this build does not know.</exception>
    internal ReadOnlyMemory<byte> Answer(ClusterId from, ReadOnlyMemory<byte> message)
    {
        var reader = new PayloadReader(message.Span);
        switch ((LeaderMessage)reader.ReadByte())
        {
            case LeaderMessage.Ask:
                var ask = ElectionCodec.ReadAsk(ref reader);
                Learn(ref reader);
                var (answering, answer) = Change(r => LeaderElection.Answer(r, from, ask, _silo.Configuration));
                if (!answer.IsGranted && ask.Term > answering.Led && answering.Leadership?.Configuration.Includes(from) == true)
                {
                    // It follows no earlier term than its own any more.
                    Feeds.WantTerm();
                }

                return ElectionCodec.Write(answer);
            case LeaderMessage.Append:
                var append = AppendCodec.Read(ref reader);
                Learn(ref reader);
                return AppendCodec.Write(Change(r => LeaderFollowing.Take(r, from, append)).Result);
            case LeaderMessage.TakeOver:
                var takeOver = ElectionCodec.ReadTakeOver(ref reader);
                Learn(ref reader);
                if (Change(r => (r.Hear(from, takeOver.Incarnation, takeOver.Highest), r)).Replica.Leadership is null)
                {
                    _ = LeadAsync();
                }

                return ReadOnlyMemory<byte>.Empty;
            default:
                throw new GeoSerializationException(
                    $"A message from {from} for {key} is of a kind that this version of Geo does not know.");
        }
    }

    /// <summary>Takes what a leader's reply to a batch tells.</summary>
    internal AppendAnswer Take(ClusterId leader, Append reply) => Change(r => LeaderFollowing.Take(r, leader, reply)).Result;

    /// <summary>Keeps what is heard of another replica.</summary>
    internal void Hear(ClusterId from, long incarnation, Term term) => Change(r => (r.Hear(from, incarnation, term), r));

    /// <summary>
    /// Keeps what a batch says of its sender: which memory it has, and what of this term it has followed. True when this replica leads a
    /// term that the sender can follow.
    /// </summary>
    internal bool TakeSender(ClusterId from, BatchSender sender) => Change(r =>
    {
        var hearing = r.Hear(from, sender.Incarnation, sender.Highest);
        if (hearing.Leadership is null)
        {
            return (hearing, false);
        }

        var kind = sender.IsSeated ? AppendAnswerKind.Adopted : AppendAnswerKind.Unseated;
        if (!sender.IsSeated || (sender.At == hearing.Led && sender.Promised == hearing.Led))
        {
            hearing = LeaderDeciding.Take(
                hearing, from, hearing.Led, new(kind, sender.Promised, 0, sender.Incarnation, sender.Step, 0));
        }

        var isSeated = sender.IsSeated || hearing.Leadership!.Names.GetValueOrDefault(from) == sender.Incarnation;
        return (hearing, isSeated && sender.Promised <= hearing.Led);
    }).Result;

    /// <summary>Makes a decision the leader's; false when the instance is another one, or leads that term no more.</summary>
    internal bool TryDecide(IMemoryWatcher by, Term term, ReplicaLog before, ReplicaLog next) => Change(r =>
        _watcher == by && ReferenceEquals(r.Log, before) && LeaderDeciding.Decide(r, term, next) is { } decided
            ? (decided, true) : (r, false)).Result;

    /// <summary>What the leader replies to a batch of a cluster; null when it does not lead.</summary>
    internal Append? Reply(ClusterId to, BatchSender sender)
    {
        var reply = Change(r => r.Leadership is not null
            ? (r, LeaderDeciding.Tell(r, to, 0, withLog: sender.At != r.Led || sender.Step != r.Log.Step))
            : (r, default(Append))).Result;
        if (reply is not null)
        {
            Feeds.IsTold(to, reply);
        }

        return reply;
    }

    /// <summary>
    /// Waits until a round of appends that begins now has confirmed all that is decided, and that this replica still leads; false when it
    /// does not.
    /// </summary>
    /// <exception cref="OperationCanceledException">It was not acknowledged within the wait.</exception>
    internal async Task<bool> RoundAsync(CancellationToken cancellationToken)
    {
        var end = new Completion<bool>(cancellationToken);
        var (begun, isWaiting) = Change(r =>
        {
            var next = LeaderDeciding.BeginRound(r);
            if (next.Leadership is not { } leading || leading.Confirmation == UpdateConfirmation.Leader)
            {
                return (r, false);
            }

            _rounds ??= Spare<List<RoundWait>>.Take();
            _rounds.RemoveAll(w => w.End.Task.IsCompleted);
            _rounds.Add(new(next.Led, next.Log.Step, leading.Round, end));
            return (next, true);
        });
        return isWaiting ? await end.Task : begun.Leadership is not null;
    }

    /// <summary>
    /// Asks the other clusters for the next term, unless that goes on already. Ends with null when this replica leads, else with why not.
    /// </summary>
    /// <param name="waiting">
    /// A cluster without memory that waits for it: a term that is asked for and does not name its memory is asked for anew, at once and not
    /// when it has begun without. None where there is none.
    /// </param>
    internal Task<string?> LeadAsync(ClusterId waiting = default)
    {
        lock (this)
        {
            if (_asking is { IsCompleted: false } asking)
            {
                if (!waiting.IsNone && _replica.Candidacy is { } candidacy
                    && candidacy.Names.GetValueOrDefault(waiting) != _replica.Known.GetValueOrDefault(waiting))
                {
                    _questions?.AskAnew();
                }

                return asking;
            }

            return _asking = _silo.OnHome(AskOnceAsync);
        }
    }

    /// <summary>A link came up: what was told to that cluster may be lost, with the memory that it was told to.</summary>
    internal void LinkUp(ClusterId cluster)
    {
        if (_isDropped)
        {
            return;
        }

        Feeds.Probe(cluster);
        if (!_silo.MayServe())
        {
            // It is asked with the first change after the lease is back.
            return;
        }

        var (replica, isReminder) = Change(r =>
            (r, r.Leadership is null && r.IsSeated && r.Highest.Cluster == cluster && _silo.IsNextAfter(key, cluster)));
        if (isReminder)
        {
            // Whoever led may have lost its memory, and nobody would notice before the grain is used again.
            _ = RequestAsync(cluster, ElectionCodec.Write(new TakeOver(replica.Incarnation, replica.Highest))).AsTask();
        }
        else if (replica.Leadership is null && replica.Highest.Cluster == replica.Cluster)
        {
            // Nobody leads before it does, and too few may have answered before.
            _ = LeadAsync();
        }
        else if (replica.Leadership is null && replica.IsSeated && replica.Highest.Cluster != cluster
            && _silo.MayTellFor(key, replica.Highest.Cluster, cluster, Confirmation))
        {
            _ = _silo.OnHome(() => TellForAsync(replica));
        }
    }

    /// <summary>
    /// A cluster is there again, perhaps without memory, and whoever led is to tell it; where that one is away, this one asks to.
    /// </summary>
    private async Task TellForAsync(LeaderReplica replica)
    {
        var question = ElectionCodec.Write(new TakeOver(replica.Incarnation, replica.Highest));
        var reply = await RequestAsync(replica.Highest.Cluster, question);
        if (reply.Outcome != ReplyOutcome.Replied && await LeadAsync() is not null)
        {
            // The others know by now which memory the one that came back has.
            await LeadAsync();
        }
    }

    private async Task<string?> AskOnceAsync()
    {
        try
        {
            return await AskAsync();
        }
        finally
        {
            lock (this)
            {
                _asking = null;
            }
        }
    }

    private async Task<string?> AskAsync()
    {
        if (Confirmation is not { } confirmation)
        {
            return "the grain has not been active in this cluster yet";
        }

        for (var attempt = 1; ; attempt++)
        {
            var asking = Change(
                r => LeaderElection.AskFor(r, _silo.Configuration, _silo.Clock) is { } next ? (next.Replica, next.Ask) : (r, null)).Result;
            if (asking is null)
            {
                return "this cluster is not in the configuration that others have heard of, or no term is left";
            }

            Change(r => (LeaderElection.TryBegin(r, confirmation), r));
            var questions = _questions = new TermQuestions(this, _silo, asking, confirmation);
            IReadOnlyList<ClusterId> silent;
            try
            {
                silent = await questions.AskAsync();
            }
            finally
            {
                _questions = null;
            }

            var (after, hasBegun) = Change(r => r.Led == asking.Term ? (r, true)
                : (r.Candidacy?.Term == asking.Term ? r with { Candidacy = null } : r, false));
            if (hasBegun)
            {
                ViewLog.Leading(
                    _silo.Logger, key, after.Log.Version, asking.Term.ToString(), after.Leadership!.Configuration.Clusters.Length);
                return null;
            }

            if (questions.AreAskedAnew && attempt < MaxAttempts)
            {
                continue;
            }

            if (silent.Count > 0 || attempt >= MaxAttempts || after.Highest.Cluster != after.Cluster)
            {
                return silent.Count > 0 ? $"no answer from {string.Join(", ", silent)}"
                    : after.Highest.Cluster != after.Cluster ? $"the highest term known is led from {after.Highest.Cluster}"
                    : "the answers do not fit together yet";
            }
        }
    }

    /// <summary>Applies a rule, and lets everybody know who has to.</summary>
    internal (LeaderReplica Replica, T Result) Change<T>(Func<LeaderReplica, (LeaderReplica, T)> rule)
    {
        _silo.EnsureMayServe(key);
        LeaderReplica before;
        LeaderReplica next;
        T result;
        IMemoryWatcher? told;
        lock (this)
        {
            if (_isDropped)
            {
                throw new GeoUnavailableException($"The memory of {key} was dropped on this silo (option MaxParked), or moved to another.");
            }

            before = _replica;
            (next, result) = rule(LeaderDeciding.Process(before, _silo.Configuration, Confirmation ?? default));
            _replica = next;
            told = !ReferenceEquals(before.Shown, next.Shown) || before.Led != next.Led ? _watcher : null;
            if (!ReferenceEquals(before, next))
            {
                EndRounds(next);
            }
        }

        if (Parked is { } place && place.ValueRef.Bytes != next.StateBytes)
        {
            _silo.Resized(this);
        }

        _moves?.Changed(next);
        if (next.Leadership is { Configuration.Clusters.Length: > 1 })
        {
            Feeds.Wake(next);
        }

        if (told is not null)
        {
            _silo.Tell(key);
        }

        return (next, result);
    }

    private void EndRounds(LeaderReplica replica)
    {
        if (_rounds is null)
        {
            return;
        }

        for (var i = _rounds.Count - 1; i >= 0; i--)
        {
            var (term, step, round, end) = _rounds[i];
            var isOver = replica.Led != term;
            if (isOver || replica.Leadership!.IsAcknowledged(replica.Cluster, step, round))
            {
                _rounds.RemoveAt(i);
                end.TrySetResult(!isOver);
            }
        }

        if (_rounds.Count == 0)
        {
            Spare<List<RoundWait>>.Give(_rounds);
            _rounds = null;
        }
    }

    /// <summary>Asks another replica, and tells it when updates are confirmed: it may have no instance that knows.</summary>
    internal ValueTask<ClusterReply> RequestAsync(ClusterId to, byte[] message) =>
        _silo.RequestAsync(key, to, WithConfirmation(message));

    /// <summary>A message between replicas, and when updates are confirmed.</summary>
    internal byte[] WithConfirmation(byte[] message) => [.. message, ConfirmationCodec.Encode(Confirmation)];

    private void Learn(ref PayloadReader reader)
    {
        var told = ConfirmationCodec.Decode(reader.ReadByte());
        lock (this)
        {
            Confirmation ??= told;
        }
    }
}
