using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>
/// Asks the acceptors of a list of stores, all at once, and answers for the one of this cluster. Knows the latest list that this process
/// has heard of; every list that an acceptor keeps was decided, and works, for ballots name their list (rule R15). In a cluster that keeps
/// nothing it answers that. One file of over 400 lines, for who is asked and which list is known depend on each other throughout.
/// </summary>
internal sealed class Acceptors : IDisposable
{
    private readonly IClusterMessenger _messenger;
    private readonly QuorumAcceptor? _local;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Strangers _strangers;
    private readonly IDisposable _handling;
    private readonly AnswerTimes _times;
    private readonly Lock _gate = new();
    private readonly Dictionary<ClusterId, long> _unserved = [];
    private volatile StoreList? _known;
    private volatile string _obstacle = "";
    private bool _isSeeking;

    public Acceptors(
        QuorumConfiguration configuration, IClusterMessenger messenger, QuorumAcceptor? local, QuorumStoreOptions options,
        TimeProvider time, ILogger logger)
    {
        (Configuration, _messenger, _local, _options, _time, _logger) = (configuration, messenger, local, options, time, logger);
        _strangers = new(configuration, options.Service!, logger);
        _times = new(time);
        _handling = messenger.Handle(options.Service!, AnswerAsync);
    }

    /// <summary>The clusters that the register began with.</summary>
    public QuorumConfiguration Configuration { get; }

    /// <summary>How long a majority usually takes to answer; nothing where no majority has answered yet.</summary>
    public TimeSpan Trip => _times.Of(Keepers);

    /// <summary>The clusters that keep the register, as far as this process has heard.</summary>
    public IReadOnlyList<ClusterId> Keepers => _known is { } known ? [.. known.Stores.Keys] : Configuration.Acceptors;

    /// <summary>
    /// Why the register has not begun or does not serve, and some acceptors do not count; empty where it does, and all that have answered.
    /// </summary>
    public string Obstacles => $"{_obstacle}{_strangers}"
        + (_known is { IsForced: true }
            ? " Others were given up by force, and nobody is served until every key is written without them." : "");

    // Any other cluster may keep the register today.
    private IEnumerable<ClusterId> Whoever => Configuration.Acceptors.Concat(_known?.Stores.Keys ?? []).Concat(_messenger.Others)
        .Concat(_local is null ? [] : [_messenger.LocalCluster]).Distinct();

    /// <summary>The latest list that this process has heard of; null before it has heard of one.</summary>
    public StoreList? Known => _known;

    /// <summary>True for that one.</summary>
    public bool Knows(StoreList list) => _known?.Digest == list.Digest;

    public void Dispose() => _handling.Dispose();

    /// <summary>The latest list that is known. The very first time all acceptors must have been there (R5).</summary>
    public async ValueTask<StoreList> ListAsync(CancellationToken cancellationToken) => _known ?? await FoundAsync(cancellationToken);

    /// <summary>The latest list that is known, looked for as long as pages are waited for.</summary>
    /// <exception cref="GeoUnavailableException">None is found: the register has not begun, as far as those that answer know.</exception>
    public async ValueTask<StoreList> ListInTimeAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(_options.PageTimeout, _time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await ListAsync(both.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new GeoUnavailableException(
                $"The clusters that keep the store '{_options.Service}' are not known: too few of [{string.Join(", ", Keepers)}] answered "
                + $"within {_options.PageTimeout.TotalSeconds:0.###} s.{Obstacles}");
        }
    }

    /// <summary>The latest that serves: one that was forced is settled first, by whoever forced it, and asked after until then.</summary>
    public async ValueTask<StoreList> ServingListAsync(CancellationToken cancellationToken)
    {
        var list = await ListAsync(cancellationToken);
        for (var asked = 1; list.IsForced; asked++, list = _known!)
        {
            await Task.Delay(BackOff.Doubled(asked, _options.MinBackoff, _options.MaxBackoff), _time, cancellationToken);
            await MeetAsync(new MeetRequest(), [], cancellationToken);
        }

        return list;
    }

    /// <summary>
    /// Asks all acceptors of a list and waits until enough have answered, or none more will. Never throws but for the token. Where too few
    /// do, others may keep the register by now: they are asked in the background.
    /// </summary>
    public async Task<Answers> AskAsync(
        StoreList list, QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var answers = await AskAsync([.. list.Stores.Keys], list.Majority, list.Digest, request, isEnough, cancellationToken);
        if (answers.Replies.Count < list.Majority && answers.Refused.IsNone && !Interlocked.Exchange(ref _isSeeking, true))
        {
            _ = SeekAsync();
        }

        return answers;
    }

    /// <summary>Asks whoever may be an acceptor, and some more, what they are.</summary>
    public async Task<IReadOnlyList<MetReply>> MeetAsync(
        QuorumRequest request, IEnumerable<ClusterId> more, CancellationToken cancellationToken)
    {
        var answers = await AskAllAsync([.. Whoever.Union(more)], request, a => a.IsComplete, cancellationToken);
        return [.. answers.Replies.OfType<MetReply>()];
    }

    /// <summary>Asks whoever may be an acceptor what it is: twice where any but some say nothing, as one that just starts does.</summary>
    /// <returns>What those that use the register have said, and why others may use it, as at its beginning, or null.</returns>
    public async Task<(IReadOnlyList<MetReply> Met, string? Unheard)> MeetAllAsync(
        IReadOnlyCollection<ClusterId> unless, CancellationToken cancellationToken)
    {
        for (var isLast = false; ; isLast = true)
        {
            List<ClusterId> asked = [.. Whoever];
            var answers = await AskAllAsync(asked, new MeetRequest(), a => a.IsComplete, cancellationToken);
            var met = answers.Replies.OfType<MetReply>().ToLookup(m => m.Configuration == Configuration.InWords);
            var others = met[false].Select(m => m.Cluster).Except(unless).Order().ToList();
            var silent = asked.Except(unless).Except(met[true].Select(m => m.Cluster)).Except(others)
                .Except(answers.Replies.OfType<StrangerReply>().Select(s => s.Cluster).Except(Configuration.Acceptors).Except(Keepers))
                .Order().ToList();
            if (silent.Count == 0 || isLast)
            {
                return ([.. met[true]], KeeperRules.Unheard(silent, others));
            }

            await Task.Delay(_options.RequestTimeout * 1.1, _time, cancellationToken); // a timer may be early, by the clock of IsStranger
        }
    }

    /// <summary>Asks one acceptor what it is, or to become.</summary>
    public async Task<MetReply?> MeetAsync(ClusterId cluster, QuorumRequest request, CancellationToken cancellationToken)
    {
        var answers = await AskAllAsync([cluster], request, a => a.IsComplete, cancellationToken);
        return answers.Replies.OfType<MetReply>().FirstOrDefault();
    }

    /// <summary>Tells all acceptors of a list, and some more, that it is decided.</summary>
    public Task TellAsync(StoreList list, IEnumerable<ClusterId> more, CancellationToken cancellationToken)
    {
        Learn(list);
        return MeetAsync(new FoundRequest(Configuration.InWords, list), more, cancellationToken);
    }

    /// <summary>
    /// Pages from all acceptors of the latest list: asked for again where this process has just heard of it, for as long as pages are
    /// waited for.
    /// </summary>
    /// <exception cref="GeoUnavailableException">No list is found.</exception>
    public async Task<(StoreList List, Answers Answers)> ListAsync(
        ListRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var began = _time.GetTimestamp();
        for (var list = await ListInTimeAsync(cancellationToken); ;
            (_, list) = await NextAsync(1, list, _options.MinBackoff, cancellationToken))
        {
            var answers = await AskAsync(list, request, isEnough, cancellationToken);
            var latest = answers.Replies.OfType<PageReply>().SelectMany(p => p.Rows).Select(r => r.Row.Promised).DefaultIfEmpty().Max();
            if (!await IsOvertakenAsync(list, latest, cancellationToken))
            {
                return (list, answers);
            }

            if (_time.GetElapsedTime(began) >= _options.PageTimeout)
            {
                return (list, new Answers(list.Stores.Count, list.Majority));
            }
        }
    }

    /// <summary>
    /// Waits before another attempt, unless a later list has come since the last: that one failed for it alone, and who brings lists does
    /// not contend.
    /// </summary>
    /// <returns>How many attempts have counted, and the list for the next.</returns>
    public async ValueTask<(int Attempt, StoreList List)> NextAsync(
        int attempt, StoreList list, TimeSpan pause, CancellationToken cancellationToken)
    {
        if (!_known!.Supersedes(list))
        {
            await Task.Delay(pause, _time, cancellationToken);
            attempt++;
        }

        return (attempt, _known!);
    }

    /// <summary>
    /// True where a later list than the one that was asked by has shown: then what was answered is not the last word (rule R7), and this
    /// process asks which list it is.
    /// </summary>
    /// <param name="list">The list that was asked by.</param>
    /// <param name="seen">The highest ballot that was told of.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<bool> IsOvertakenAsync(StoreList list, Ballot seen, CancellationToken cancellationToken)
    {
        if (SwitchedOff.Is(ProtocolRule.LaterVersionCounts))
        {
            return false;
        }

        if (seen.Version > list.Version && _known!.Version < seen.Version)
        {
            await AskAllAsync(
                [.. Whoever], new MeetRequest(), a => a.Replies.Any(r => r is MetReply met && met.Kept?.Version >= seen.Version),
                cancellationToken);
        }

        return seen.Version > list.Version || _known!.Supersedes(list);
    }

    /// <summary>A list is decided: it counts from now on, unless a later one does.</summary>
    /// <param name="list">The list.</param>
    /// <param name="isKept">True where one of its own stores has said so.</param>
    public void Learn(StoreList list, bool isKept = false)
    {
        lock (_gate)
        {
            if (_known is null || list.Supersedes(_known) || (isKept && list.ServesInPlaceOf(_known)))
            {
                _known = list;
            }
        }
    }

    /// <summary>
    /// Waits until a majority keeps one list of stores, or one keeps a later one (R5). A forced one counts when all had the time to name
    /// another.
    /// </summary>
    private async Task<StoreList> FoundAsync(CancellationToken cancellationToken)
    {
        QuorumRequest request = new MeetRequest();
        for (var asked = 1; ; asked++)
        {
            var answers = await AskAllAsync([.. Whoever], request, a => FoundingOf(a).Adopted is { IsForced: false }, cancellationToken);
            var founding = FoundingOf(answers);
            _obstacle = founding.Obstacle;
            if (founding.Adopted is { } adopted)
            {
                Learn(adopted);
                if (_local is not null && adopted.Version > 1)
                {
                    // Its store may be lost, or new: it knows from now on that there is a register.
                    await MeetAsync(_messenger.LocalCluster, new FoundRequest(Configuration.InWords, adopted), cancellationToken);
                }

                return _known!;
            }

            request = founding.Offered is { } offered ? new FoundRequest(Configuration.InWords, offered) : new MeetRequest();
            await Task.Delay(BackOff.Doubled(asked, _options.MinBackoff, _options.MaxBackoff), _time, cancellationToken);
        }
    }

    private Founding FoundingOf(Answers answers) => Founding.Of(
        Configuration, [.. answers.Replies.OfType<MetReply>()], _messenger.Others,
        [.. answers.Replies.OfType<StrangerReply>().Select(s => s.Cluster)]);

    private async Task SeekAsync()
    {
        try
        {
            await MeetAsync(new MeetRequest(), [], CancellationToken.None);
        }
        finally
        {
            Volatile.Write(ref _isSeeking, false);
        }
    }

    // What concerns no list: it is not a majority that is waited for.
    private Task<Answers> AskAllAsync(
        List<ClusterId> asked, QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken) =>
        AskAsync(asked, asked.Count, 0, request, isEnough, cancellationToken);

    private async Task<Answers> AskAsync(
        List<ClusterId> asked, int majority, ulong stores, QuorumRequest request, Func<Answers, bool> isEnough,
        CancellationToken cancellationToken)
    {
        var (question, sent) = (new Question(asked, majority, isEnough), _time.GetTimestamp());
        var payload = QuorumCodec.Write(stores, request);
        foreach (var acceptor in asked)
        {
            _ = question.TakeAsync(acceptor, AskOneAsync(acceptor, stores, request, payload, cancellationToken));
        }

        await Task.WhenAny(question.Enough, question.Refused).WaitAsync(cancellationToken);
        if (!question.Enough.IsCompleted)
        {
            await question.Enough.EndsWithinAsync(PatienceWith(question.Outstanding, sent), _time, cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return question.Close();
    }

    /// <summary>
    /// How long those are waited for that have not answered, when another one has refused: they may make up a majority without that one.
    /// An acceptor that owes an answer for much longer than it uses to take may be cut off, which nobody has noticed yet: who is refused
    /// gets on by the next ballot, and not by waiting for it.
    /// </summary>
    private TimeSpan PatienceWith(IEnumerable<ClusterId> outstanding, long asked) =>
        outstanding.Select(acceptor => _times.LeftOf(acceptor, asked) ?? _options.RequestTimeout).DefaultIfEmpty().Max();

    // One that does not know the list yet is told, and then asked again.
    private async Task<QuorumReply?> AskOneAsync(
        ClusterId acceptor, ulong stores, QuorumRequest request, byte[] payload, CancellationToken cancellationToken)
    {
        var reply = await SendAsync(acceptor, stores, request, payload, cancellationToken);
        if (reply is not MetReply met || request is FoundRequest || _known is not { } known || !_strangers.Lacks(met, known))
        {
            return reply;
        }

        // Whoever still waits: others are glad of it.
        var offer = new FoundRequest(Configuration.InWords, known);
        var told = await SendAsync(acceptor, 0, offer, QuorumCodec.Write(0, offer), CancellationToken.None) as MetReply;
        return stores != 0 && told?.Kept?.Digest == stores
            ? await SendAsync(acceptor, stores, request, payload, cancellationToken)
            : told ?? reply;
    }

    private async Task<QuorumReply?> SendAsync(
        ClusterId acceptor, ulong stores, QuorumRequest request, byte[] payload, CancellationToken cancellationToken)
    {
        var asked = _times.Asked(acceptor);
        try
        {
            if (acceptor == _messenger.LocalCluster && _local is not null)
            {
                return Counted(acceptor, request, await _local.AnswerAsync(stores, request, cancellationToken), asked);
            }

            var timeout = request is ListRequest ? _options.PageTimeout : _options.RequestTimeout;
            var reply = await _messenger.RequestAsync(
                acceptor, _options.Service!, payload, new MessageOptions(_options.Channel, Timeout: timeout), cancellationToken);
            if (request is MeetRequest && IsStranger(acceptor, reply.IsNotServed))
            {
                return new StrangerReply(acceptor);
            }

            return reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty
                ? Counted(acceptor, request, QuorumCodec.ReadReply(reply.Payload.Span), asked)
                : null;
        }
        catch (OperationCanceledException)
        {
            return null;
        }
        catch (Exception e)
        {
            // Whatever it is: an answer that does not come, and is counted as such.
            _logger.AcceptorFailed(acceptor, e);
            return null;
        }
    }

    // One that starts has links before it has the service: that it has none counts when it has said so for a while.
    private bool IsStranger(ClusterId cluster, bool isUnserved)
    {
        lock (_gate)
        {
            if (!isUnserved)
            {
                _unserved.Remove(cluster);
                return false;
            }

            _unserved.TryAdd(cluster, _time.GetTimestamp());
            return _time.GetElapsedTime(_unserved[cluster]) >= _options.RequestTimeout;
        }
    }

    private QuorumReply? Counted(ClusterId acceptor, QuorumRequest request, QuorumReply? reply, long asked)
    {
        if (reply is not null)
        {
            _times.Answered(acceptor, asked, isOneStep: request is KeyRequest && reply is not MetReply);
        }

        if (reply is not MetReply met)
        {
            _strangers.Clear(acceptor);
            return reply;
        }

        if (met.Kept is { Version: > 1 } kept && _known is not null && met.Configuration == Configuration.InWords)
        {
            Learn(kept, kept.Names(acceptor, met.Store));
        }

        _strangers.Judge(met, _known);
        return reply;
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        // What was asked is carried out to its end, whoever still waits: a step that is left half done would only be asked for again.
        var (stores, request) = QuorumCodec.ReadRequest(message.Payload.Span);
        var reply = _local is null ? AnswerWithoutStore(request) : await _local.AnswerAsync(stores, request, cancellationToken);
        return reply is null ? default : QuorumCodec.Write(reply);
    }

    // That it keeps nothing, and the list that it works with: a cluster whose store is lost is told of it.
    private MetReply AnswerWithoutStore(QuorumRequest request)
    {
        if (request is FoundRequest { Stores.Version: > 1 } told && told.Configuration == Configuration.InWords)
        {
            Learn(told.Stores);
        }

        return new(_messenger.LocalCluster, Configuration.InWords, Guid.Empty, _known, IsFresh: false);
    }
}
