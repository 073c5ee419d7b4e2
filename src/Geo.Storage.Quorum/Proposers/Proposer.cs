namespace Geo.Storage.Quorum;

/// <summary>Reads and changes values by majority: rules R6 to R11 of the design of regions.</summary>
internal sealed class Proposer(Acceptors acceptors, QuorumStoreOptions options, TimeProvider time, Random random)
{
    // How often acceptors that tell different things are asked before a ballot settles it.
    private const int Looks = 3;

    private readonly Ballots _ballots = new((ulong)random.NextInt64(), time);

    // Each is taken once, as a ballot is used once.
    private readonly RecentKeys<Known> _known = new(options.MaxKnownKeys);
    private readonly KeyTurns _turns = new();

    /// <summary>The decided value of a key; null for none. Tries until the token is set.</summary>
    public async Task<QuorumValue?> ReadAsync(string key, CancellationToken cancellationToken)
    {
        // Most often a write is on its way, and is decided when they are asked again: a ballot would only stand in its way.
        for (var looked = 0; looked < Looks; looked++)
        {
            if (await LookAsync(key, cancellationToken) is { } seen)
            {
                return seen.Value;
            }
        }

        // One at a time settles what is not decided: many side by side would refuse each other, and find it settled when their turn comes.
        var isAlone = !_turns.IsTaken(key);
        using var turn = await _turns.TakeAsync(key, cancellationToken);
        if (!isAlone && await LookAsync(key, cancellationToken) is { } settled)
        {
            return settled.Value;
        }

        for (var (attempt, list) = (1, await ListAsync(key, cancellationToken)); ;
            (attempt, list) = await NextAsync(key, attempt, list, cancellationToken))
        {
            if (await PrepareAsync(list, key, attempt, wantsFloor: false, cancellationToken) is { } promises
                && await IsDecidedAsync(key, promises, cancellationToken))
            {
                return promises.Current;
            }
        }
    }

    /// <summary>
    /// The decided value of a key, read with a ballot that a majority then has promised: the next change by this process takes one trip.
    /// Where somebody else has readied the key, or writes it, it is only read: who asks again with a higher ballot stands in the way of
    /// that one, and is stood in the way of by it.
    /// </summary>
    public async Task<QuorumValue?> ReadToWriteAsync(string key, CancellationToken cancellationToken)
    {
        using (await _turns.TakeAsync(key, cancellationToken))
        {
            var list = await ListAsync(key, cancellationToken);
            if (await PrepareAsync(list, key, attempt: 1, wantsFloor: false, cancellationToken) is { } promises)
            {
                if (promises.IsDecided)
                {
                    _known.Put(key, new(promises.Stores.Digest, promises.Ballot, ChainEnd.Of(promises.Current)));
                    return promises.Current;
                }

                // The ballot repeats the present value, and is used up; with the repetition the next one is promised.
                var next = _ballots.Next(promises.Stores.Version);
                var answers = await AcceptAgainAsync(
                    key, promises, promises.Current!, next, a => a.IsClear<AcceptedReply>(), cancellationToken);
                if (answers.HasMajority<AcceptedReply>())
                {
                    Ready(key, promises.Stores, next, promises.Current!, answers);
                    return promises.Current;
                }
            }
        }

        return await ReadAsync(key, cancellationToken);
    }

    /// <summary>
    /// Replaces the value of a key, if it is the expected one. Tries until it is known how it ended, or the token is set.
    /// </summary>
    public async Task<ChangeVerdict> ChangeAsync(
        string key, Change change, bool isLive, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        using var turn = await _turns.TakeAsync(key, cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        var list = await ListAsync(key, cancellationToken);
        if (_known.TryTake(key, out var known) && known.List == list.Digest && change.Expects(known.Written)
            && await ProposeAsync(key, change, list, known.Next, known.Written, isLive, bytes, cancellationToken))
        {
            return ChangeVerdict.Applied;
        }

        for (var attempt = 1; ; (attempt, list) = await NextAsync(key, attempt, list, cancellationToken))
        {
            // What became of an own attempt shows without a ballot, which others would refuse; the more come after it, the less there is
            // to learn.
            if (!change.Own.IsNone && await LookAsync(key, cancellationToken) is { Value: { } present } seen && seen.Accepted > change.Last
                && change.Judge(present, forgotten: null) is (ChangeVerdict.Applied or ChangeVerdict.Conflict) and var end)
            {
                return end;
            }

            if (await PrepareAsync(list, key, attempt, change.BeganOnNothing, cancellationToken) is not { } promises)
            {
                continue;
            }

            var verdict = change.Judge(promises.Current, promises.Forgotten);
            switch (verdict)
            {
                // With another ballot: this one may have repeated the present value.
                case ChangeVerdict.Restart when await IsSettledAsync(key, change, promises, cancellationToken):
                    change.Restart();
                    break;
                case ChangeVerdict.Propose
                    when await ProposeAsync(
                        key, change, promises.Stores, promises.Ballot, ChainEnd.Of(promises.Current), isLive, bytes,
                        cancellationToken):
                    return ChangeVerdict.Applied;
                case ChangeVerdict.Unknown:
                    return verdict;
                case ChangeVerdict.Applied or ChangeVerdict.Conflict when await IsSettledAsync(key, change, promises, cancellationToken):
                    return verdict;
            }
        }
    }

    /// <summary>Has all acceptors that answer accept the value of a key once more, so that those have it that were away.</summary>
    /// <returns>True when all acceptors have it.</returns>
    public async Task<bool> RepeatEverywhereAsync(string key, CancellationToken cancellationToken)
    {
        var list = await acceptors.ListAsync(cancellationToken);
        if (await PrepareAsync(list, key, attempt: 1, wantsFloor: false, a => a.IsComplete, cancellationToken)
            is not { Current: { } current } promises)
        {
            return false;
        }

        var answers = await AcceptAgainAsync(key, promises, current, Ballot.None, a => a.IsComplete, cancellationToken);
        return answers.IsUnanimous<AcceptedReply>();
    }

    /// <summary>
    /// Has a majority of a list promise a ballot of its version for a key, and accept its value under it: what earlier versions' ballots
    /// may still bring can decide nothing any more, and the next version's majorities meet the value (R16).
    /// </summary>
    /// <returns>False where it was not done: a later list is known, or a majority did not answer, or refused.</returns>
    public async Task<bool> SettleAsync(StoreList list, string key, CancellationToken cancellationToken)
    {
        if (await PrepareAsync(list, key, attempt: 1, wantsFloor: false, cancellationToken) is not { } promises)
        {
            return false;
        }

        return await RepeatAsync(key, promises, cancellationToken);
    }

    /// <summary>
    /// What a majority tells without a ballot, if they tell the same and know of no later list: that is decided (R7).
    /// </summary>
    private async Task<ToldReply?> LookAsync(string key, CancellationToken cancellationToken)
    {
        var list = await ListAsync(key, cancellationToken);
        var answers = await acceptors.AskAsync(list, new ReadRequest(key), a => a.IsClear<ToldReply>(), cancellationToken);
        var told = answers.Replies.OfType<ToldReply>().ToList();
        foreach (var reply in told)
        {
            _ballots.Seen(reply.Promised);
        }

        return !await acceptors.IsOvertakenAsync(list, told.Select(t => t.Promised).DefaultIfEmpty().Max(), cancellationToken)
            && answers.HasMajority<ToldReply>() && told.TrueForAll(t => t.Accepted == told[0].Accepted) ? told[0] : null;
    }

    private Task<Promises?> PrepareAsync(StoreList list, string key, int attempt, bool wantsFloor, CancellationToken cancellationToken) =>
        PrepareAsync(list, key, attempt, wantsFloor, a => a.IsClear<PromisedReply>(), cancellationToken);

    private async Task<Promises?> PrepareAsync(
        StoreList list, string key, int attempt, bool wantsFloor, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var ballot = _ballots.Next(list.Version, attempt, acceptors.Trip);
        var answers = await acceptors.AskAsync(list, new PrepareRequest(key, ballot, wantsFloor), isEnough, cancellationToken);
        await SeenAsync(list, answers, cancellationToken);
        return answers.HasMajority<PromisedReply>() ? Promises.Of(list, ballot, answers) : null;
    }

    // A refusal may be for a later list: the next attempt is made with it.
    private async ValueTask SeenAsync(StoreList list, Answers answers, CancellationToken cancellationToken)
    {
        _ballots.Seen(answers.Refused);
        await acceptors.IsOvertakenAsync(list, answers.Refused, cancellationToken);
    }

    /// <summary>A value with a ballot of its own, and the next one promised at once, so that the next write takes one trip.</summary>
    private async Task<bool> ProposeAsync(
        string key, Change change, StoreList list, Ballot ballot, ChainEnd current, bool isLive, ReadOnlyMemory<byte> bytes,
        CancellationToken cancellationToken)
    {
        change.Attempts(ballot, current);
        var value = QuorumValue.After(current, change.Own, isLive, bytes);
        var next = _ballots.Next(list.Version);
        var answers = await acceptors.AskAsync(
            list, new AcceptRequest(key, ballot, value, next), a => a.IsClear<AcceptedReply>(), cancellationToken);
        await SeenAsync(list, answers, cancellationToken);
        if (!answers.HasMajority<AcceptedReply>())
        {
            return false;
        }

        Ready(key, list, next, value, answers);
        return true;
    }

    /// <summary>The next write of the key takes one trip, if a majority has promised its ballot as it accepted the value.</summary>
    private void Ready(string key, StoreList list, Ballot next, QuorumValue value, Answers answers)
    {
        // Those that had accepted it before, by a message that another one has repeated, promised nothing now (R4).
        if (answers.Replies.Count(r => r is AcceptedReply accepted && accepted.Promised == next) >= list.Majority)
        {
            _known.Put(key, new(list.Digest, next, ChainEnd.Of(value)));
        }
    }

    /// <summary>
    /// Nothing that a change has attempted can come after the present value any more: that is decided under a ballot above the last
    /// attempt, or accepted by a majority once more.
    /// </summary>
    private Task<bool> IsSettledAsync(string key, Change change, Promises promises, CancellationToken cancellationToken) =>
        promises.Accepted > change.Last || SwitchedOff.Is(ProtocolRule.AttemptsAreOver)
            ? IsDecidedAsync(key, promises, cancellationToken)
            : RepeatAsync(key, promises, cancellationToken);

    /// <summary>What is reported must be decided: as it stands, or because a majority accepts it again (R8).</summary>
    private Task<bool> IsDecidedAsync(string key, Promises promises, CancellationToken cancellationToken) =>
        promises.IsDecided || SwitchedOff.Is(ProtocolRule.ReportIsDecided)
            ? Task.FromResult(true)
            : RepeatAsync(key, promises, cancellationToken);

    private async Task<bool> RepeatAsync(string key, Promises promises, CancellationToken cancellationToken)
    {
        if (promises.Current is not { } current)
        {
            return true;
        }

        var answers = await AcceptAgainAsync(
            key, promises, current, Ballot.None, a => a.IsClear<AcceptedReply>(), cancellationToken);
        return answers.HasMajority<AcceptedReply>();
    }

    private async Task<Answers> AcceptAgainAsync(
        string key, Promises promises, QuorumValue current, Ballot next, Func<Answers, bool> isEnough,
        CancellationToken cancellationToken)
    {
        var answers = await acceptors.AskAsync(
            promises.Stores, new AcceptRequest(key, promises.Ballot, current, next), isEnough, cancellationToken);
        await SeenAsync(promises.Stores, answers, cancellationToken);
        return answers;
    }

    /// <summary>
    /// Who was refused has somebody beside it, and gives that one about the time of a trip, in which it ends: a ballot that came earlier
    /// would only refuse it.
    /// </summary>
    private async ValueTask<(int Attempt, StoreList List)> NextAsync(
        string key, int attempt, StoreList list, CancellationToken cancellationToken)
    {
        var trip = acceptors.Trip < options.MaxBackoff ? acceptors.Trip : options.MaxBackoff;
        var pause = BackOff.AfterConflicts(attempt, options.MinBackoff, options.MaxBackoff, random) + BackOff.For(trip, random);
        (attempt, list) = await acceptors.NextAsync(attempt, list, pause, cancellationToken);
        return (attempt, list.IsForced ? await ListAsync(key, cancellationToken) : list);
    }

    // The keys of the store itself are what a forced list is settled by.
    private ValueTask<StoreList> ListAsync(string key, CancellationToken cancellationToken) =>
        OwnKeys.Include(key) ? acceptors.ListAsync(cancellationToken) : acceptors.ServingListAsync(cancellationToken);
}
