namespace Geo.Storage.Quorum;

/// <summary>Reads and changes values by majority: rules R6 to R11 of the design of regions.</summary>
internal sealed class Proposer(Acceptors acceptors, QuorumStoreOptions options, TimeProvider time, Random random)
{
    private readonly Ballots _ballots = new((ulong)random.NextInt64(), time);
    private readonly KnownKeys _known = new(options.MaxKnownKeys);

    /// <summary>The decided value of a key; null for none. Tries until the token is set.</summary>
    public async Task<QuorumValue?> ReadAsync(string key, CancellationToken cancellationToken)
    {
        var answers = await acceptors.AskAsync(new ReadRequest(key), a => a.IsClear<ToldReply>(), cancellationToken);
        var told = answers.Replies.OfType<ToldReply>().ToList();
        foreach (var reply in told)
        {
            _ballots.Seen(reply.Promised);
        }

        if (answers.HasMajority<ToldReply>() && told.TrueForAll(t => t.Accepted == told[0].Accepted))
        {
            return told[0].Value;
        }

        for (var pause = options.MinBackoff; ; pause = await PauseAsync(pause, cancellationToken))
        {
            if (await PrepareAsync(key, cancellationToken) is { } promises && await IsDecidedAsync(key, promises, cancellationToken))
            {
                return promises.Current;
            }
        }
    }

    /// <summary>Replaces the value of a key, if it is the expected one. Tries until it is known how it ended, or the token is set.</summary>
    public async Task<ChangeVerdict> ChangeAsync(
        string key, Change change, bool isLive, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (_known.TryTake(key, out var known) && change.Expects(known.Tag, known.IsLive))
        {
            change.Attempts(known.Next, known.Tag);
            if (await ProposeAsync(key, known.Next, new(change.Own, isLive, bytes, known.Ancestors), cancellationToken))
            {
                return ChangeVerdict.Applied;
            }
        }

        for (var pause = options.MinBackoff; ; pause = await PauseAsync(pause, cancellationToken))
        {
            if (await PrepareAsync(key, cancellationToken) is not { } promises)
            {
                continue;
            }

            var verdict = change.Judge(promises.Current, promises.Floor);
            switch (verdict)
            {
                case ChangeVerdict.Propose:
                    change.Attempts(promises.Ballot, promises.Current?.Tag ?? Ballot.None);
                    var value = new QuorumValue(change.Own, isLive, bytes, QuorumValue.AncestorsAfter(promises.Current));
                    if (await ProposeAsync(key, promises.Ballot, value, cancellationToken))
                    {
                        return ChangeVerdict.Applied;
                    }

                    break;
                case ChangeVerdict.Unknown:
                    return verdict;
                case ChangeVerdict.Applied or ChangeVerdict.Conflict when await IsDecidedAsync(key, promises, cancellationToken):
                    return verdict;
            }
        }
    }

    /// <summary>Has all acceptors that answer accept the value of a key once more, so that those have it that were away.</summary>
    public async Task RepeatAsync(string key, CancellationToken cancellationToken)
    {
        if (await PrepareAsync(key, cancellationToken) is { Current: { } current } promises)
        {
            await acceptors.AskAsync(
                new AcceptRequest(key, promises.Ballot, current, Ballot.None), a => a.IsComplete, cancellationToken);
        }
    }

    private async Task<Promises?> PrepareAsync(string key, CancellationToken cancellationToken)
    {
        var ballot = _ballots.Next(acceptors.Configuration.Version);
        var answers = await acceptors.AskAsync(new PrepareRequest(key, ballot), a => a.IsClear<PromisedReply>(), cancellationToken);
        _ballots.Seen(answers.Refused);
        return answers.HasMajority<PromisedReply>() ? Promises.Of(ballot, answers) : null;
    }

    /// <summary>A value with a ballot of its own, and the next one promised at once, so that the next write takes one trip.</summary>
    private async Task<bool> ProposeAsync(string key, Ballot ballot, QuorumValue value, CancellationToken cancellationToken)
    {
        var next = _ballots.Next(acceptors.Configuration.Version);
        var answers = await acceptors.AskAsync(
            new AcceptRequest(key, ballot, value, next), a => a.IsClear<AcceptedReply>(), cancellationToken);
        _ballots.Seen(answers.Refused);
        if (!answers.HasMajority<AcceptedReply>())
        {
            return false;
        }

        // Those that had accepted it before, by a message that another one has repeated, promised nothing now (R4).
        if (answers.Replies.Count(r => r is AcceptedReply accepted && accepted.Promised == next) >= acceptors.Configuration.Majority)
        {
            _known.Put(key, new(next, value.Tag, value.IsLive, QuorumValue.AncestorsAfter(value)));
        }

        return true;
    }

    /// <summary>What is reported must be decided: as it stands, or because a majority accepts it again (R8).</summary>
    private async Task<bool> IsDecidedAsync(string key, Promises promises, CancellationToken cancellationToken)
    {
        if (promises.IsDecided || promises.Current is not { } current)
        {
            return true;
        }

        var answers = await acceptors.AskAsync(
            new AcceptRequest(key, promises.Ballot, current, Ballot.None), a => a.IsClear<AcceptedReply>(), cancellationToken);
        _ballots.Seen(answers.Refused);
        return answers.HasMajority<AcceptedReply>();
    }

    private async Task<TimeSpan> PauseAsync(TimeSpan pause, CancellationToken cancellationToken)
    {
        await Task.Delay(pause * random.NextDouble(), time, cancellationToken);
        return pause * 2 < options.MaxBackoff ? pause * 2 : options.MaxBackoff;
    }
}
