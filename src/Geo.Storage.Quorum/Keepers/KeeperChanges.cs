using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>
/// Changes the clusters that keep a register, by the register itself: the list of stores is one of its values, replaced by compare-and-swap
/// under the list before, and settled by a sweep before it is replaced again (rules R15 and R16).
/// </summary>
internal sealed class KeeperChanges(
    Acceptors acceptors, QuorumStoreOptions options, TimeProvider time, Proposer proposer, ILogger logger)
{
    // How often others may change the list at the same time.
    private const int MaxConflicts = 8;

    // How often a newcomer is asked to go on with emptying its store; each time it takes as long as it is waited for.
    private const int MaxClears = 1000;

    private readonly Settlement _settlement = new(acceptors, options, time, proposer);

    /// <summary>The list as it is decided.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers.</exception>
    public async Task<KeptList> ReadAsync(CancellationToken cancellationToken) => (await ReadRegisterAsync(cancellationToken)).Kept;

    /// <summary>Settles the list where that was begun and not ended, by whomever.</summary>
    /// <returns>Null when it is settled; otherwise why not.</returns>
    /// <exception cref="GeoUnavailableException">No majority answers.</exception>
    public async Task<string?> CarryOnAsync(CancellationToken cancellationToken)
    {
        await acceptors.ListInTimeAsync(cancellationToken);
        var said = await acceptors.MeetAsync(new MeetRequest(), [], cancellationToken);
        if (said.Select(m => m.Kept).OfType<StoreList>().FirstOrDefault(list => list.IsForced && acceptors.Knows(list)) is { } forced)
        {
            // Where one of its clusters has promised a higher version it can neither be settled nor read.
            var met = await acceptors.MeetAsync(
                new FoundRequest(acceptors.Configuration.InWords, forced), forced.Stores.Keys, cancellationToken);
            if (KeeperRules.Above(forced, met) is { } above)
            {
                await BeginAsync(above, cancellationToken);
            }
        }

        var (kept, tag, _) = await ReadRegisterAsync(cancellationToken);
        if (!kept.Stores.Before.IsEmpty)
        {
            // Those that were given up may live, as a register that nobody here asks any more.
            await acceptors.TellAsync(kept.Stores, [], cancellationToken);
        }

        return await SettleAsync(kept, tag, cancellationToken);
    }

    /// <summary>Takes clusters in and out; one at a time is what is not refused.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    public async Task<ConfigurationChange> ChangeAsync(
        IReadOnlyList<ClusterId> comes, IReadOnlyList<ClusterId> goes, CancellationToken cancellationToken)
    {
        for (var tries = 0; tries < MaxConflicts; tries++)
        {
            var (kept, tag, _) = await ReadRegisterAsync(cancellationToken);
            var now = kept.Stores;
            var unsettled = SwitchedOff.Is(ProtocolRule.ListIsSettled) ? "" : await SettleAsync(kept, tag, cancellationToken);
            if (comes.All(now.Stores.ContainsKey) && !goes.Any(now.Stores.ContainsKey))
            {
                // By this call, whose write was in doubt, or by another one: whose it was matters to nobody.
                return new(now.Version, Told(now, unsettled));
            }

            if (unsettled is not null && !SwitchedOff.Is(ProtocolRule.ListIsSettled))
            {
                return new(null, $"Refused: not every key is written under version {now.Version} of the list yet, which is "
                    + $"[{string.Join(", ", now.Stores.Keys)}]: {unsettled}.");
            }

            if (unsettled is null)
            {
                (kept, tag, _) = await ReadRegisterAsync(cancellationToken);
                if (kept.Stores.Digest != now.Digest)
                {
                    continue;
                }
            }

            var (next, met) = await NextAsync(now, comes, goes, cancellationToken);
            if (KeeperRules.Hindrance(kept, next, met) is { } hindrance)
            {
                return new(null, $"Refused: {hindrance}.");
            }

            if (await WriteAsync(new(next, IsSettled: false), tag, cancellationToken))
            {
                logger.KeepersChanged(options.Service!, next.Version, string.Join(", ", next.Stores.Keys));
                await acceptors.TellAsync(next, now.Stores.Keys, cancellationToken);
                var (then, thenTag, _) = await ReadRegisterAsync(cancellationToken);
                if (then.Stores.Lineage != next.Lineage)
                {
                    return new(null, $"Refused: others have gone on by force meanwhile, as {then.Stores}.");
                }

                var left = SwitchedOff.Is(ProtocolRule.ListIsSettled) ? ""
                    : then.Stores.Version == next.Version ? await SettleAsync(then, thenTag, cancellationToken)
                    : null;
                return new(next.Version, Told(next, left));
            }
        }

        return new(null, $"Refused: the list was changed, or not answered for, {MaxConflicts} times meanwhile; try again.");
    }

    /// <summary>
    /// Goes on without clusters that are lost for ever, where no majority is left (rule C13): all that are left take over the first list
    /// of another register, write every key under it, and serve when leases that are kept in it have run out. May be asked again, and at
    /// several processes at once: all make the same list.
    /// </summary>
    /// <exception cref="GeoUnavailableException">One that is left answers no more; whether it was made may not be known.</exception>
    public async Task<ConfigurationChange> ForceAsync(IReadOnlyCollection<ClusterId> lost, CancellationToken cancellationToken)
    {
        if (lost.Count == 0)
        {
            return new(null, "Refused: no cluster is named.");
        }

        var (said, unheard) = await acceptors.MeetAllAsync(lost, cancellationToken);
        var latest = StoreList.Latest([.. said.Select(m => m.Kept).OfType<StoreList>()]).DistinctBy(list => list.Digest)
            .OrderBy(list => list.Version).ThenBy(list => list.Digest).ToList();
        if (latest.Count == 0)
        {
            return new(null, "Refused: no cluster that answers knows who keeps the store; it may not have begun.");
        }

        if (latest.Count > 1)
        {
            if (KeeperRules.GoesOn(latest, acceptors.Knows, said) is { } ours)
            {
                // Who forced it may be gone, and nobody is served before it is through.
                var left = ours.IsForced && acceptors.Knows(ours) ? await CarryOnAsync(cancellationToken) : null;
                return new(null, $"Refused: {KeeperRules.HindranceOfOthers(ours, latest, said)}"
                    + (left is null ? "." : $"; they do not serve yet ({left}), which the next sweep goes on with."));
            }

            return KeeperRules.HindranceToJoin(latest, lost, said, unheard) is { } apart
                ? new(null, $"Refused: {apart}.")
                : await GoOnAsync(
                    StoreList.Joined(latest, lost, KeeperRules.Promised(StoreList.Joined(latest, lost).Stores, said)), lost,
                    _ => Risk(lost, isMore: true, hadForced: true), cancellationToken);
        }

        var now = latest[^1];
        var told = await acceptors.MeetAsync(new FoundRequest(acceptors.Configuration.InWords, now), now.Stores.Keys, cancellationToken);

        // One with other settings counts where it keeps the store all the same.
        var met = told.Where(m => m.Configuration == acceptors.Configuration.InWords || now.Names(m.Cluster, m.Store)).ToList();
        var isNews = now.Before.IsEmpty || lost.Any(now.Stores.ContainsKey);
        if ((isNews ? KeeperRules.HindranceToForce(now, lost, met, unheard) : unheard) is { } hindrance)
        {
            return new(null, $"Refused: {hindrance}.");
        }

        return isNews
            ? await GoOnAsync(
                now.Forced(lost, KeeperRules.Promised(now.Stores.RemoveRange(lost), met)), lost, was => Risk(now, was, lost),
                cancellationToken)
            : await GoOnAsync(
                KeeperRules.Above(now, met) ?? now, lost,
                _ => $"[{string.Join(", ", lost)}] do not: they were given up before, or never did. "
                    + Risk(lost, isMore: true, hadForced: true), cancellationToken);
    }

    private async Task<ConfigurationChange> GoOnAsync(
        StoreList now, IReadOnlyCollection<ClusterId> lost, Func<KeptList?, string> risk, CancellationToken cancellationToken)
    {
        if (now.IsForced)
        {
            await BeginAsync(now, cancellationToken);
            logger.KeepersForced(options.Service!, string.Join(", ", lost), now, now.Version);
        }

        await acceptors.TellAsync(now, lost, cancellationToken);
        var (begun, tag, was) = await ReadRegisterAsync(cancellationToken);
        var left = await SettleAsync(begun, tag, cancellationToken);
        var end = (await ReadRegisterAsync(cancellationToken)).Kept.Stores;
        return lost.Where(end.Stores.ContainsKey).ToList() is { Count: > 0 } kept
                ? new(null, $"Refused: others have gone on as {end} meanwhile, with [{string.Join(", ", kept)}].")
            : end.IsForced
            ? new(null, $"Begun, and not through: [{string.Join(", ", end.Stores.Keys)}] go on without [{string.Join(", ", lost)}], and "
                + $"serve nobody yet ({left ?? "it is not known how far it is"}). Ask again; the next sweep goes on with it, too.")
            : end.Lineage == now.Lineage ? new(end.Version, $"{Told(end, left)} {risk(was)}")
            : end.Supersedes(now) ? new(end.Version, $"{Told(end, left)} {Risk(lost, isMore: true, hadForced: true)}")
            : new(null, $"Refused: others have gone on as {end} meanwhile.");
    }

    // One of those that go on keeps a forced list before this process works with it, or anybody else hears of it: a list that nobody kept
    // would come up again wherever this process is asked, also when those that it gives up have come back and serve.
    private async Task BeginAsync(StoreList forced, CancellationToken cancellationToken)
    {
        var request = new FoundRequest(acceptors.Configuration.InWords, forced);
        var told = await Task.WhenAll(forced.Stores.Keys.Select(c => acceptors.MeetAsync(c, request, cancellationToken)));
        if (!told.Any(m => m?.Kept is { } kept && forced.Names(m.Cluster, m.Store)
            && (kept.Digest == forced.Digest || kept.Supersedes(forced))))
        {
            throw new GeoUnavailableException(
                $"None of [{string.Join(", ", forced.Stores.Keys)}] has said that it goes on by force, and whether one does is not known: "
                + "ask again.");
        }
    }

    // A majority alone can have confirmed something that none of those that are left has; and those that are given up now, with those that
    // were before, may have been one. So may one of the list before the last, while not every key is written under that (rule R16).
    private static string Risk(StoreList before, KeptList? was, IReadOnlyCollection<ClusterId> lost)
    {
        var gone = lost.Where(before.Stores.ContainsKey).ToList();
        var isSettled = was is null ? before.Version == 1 : was.IsSettled && was.Stores.Digest == before.Digest;
        return Risk(gone, before.IsForced || gone.Count > before.Stores.Count - gone.Count, before.IsForced, isSettled);
    }

    private static string Risk(IReadOnlyCollection<ClusterId> lost, bool isMore, bool hadForced, bool isSettled = true) =>
        $"[{string.Join(", ", lost)}] count no more. "
        + (isSettled || hadForced ? ""
            : "The last change of the keepers was not through: what those before it alone had confirmed may be gone. ")
        + (isMore || !isSettled
            ? $"What they alone had confirmed is gone{(hadForced ? ", what a survivor alone had may be gone, too" : "")}, "
                + "and epochs may come a second time. If they live, cut off, they go on as a register "
                + "of their own until they hear of this one, and what they confirm until then will be gone: "
            : "Nothing that was confirmed is lost. If one lives it decides nothing by itself, unless it is forced to go on as well: ")
        + "make sure that none of their silos runs. One that returns is refused, and may be added again.";

    private static string Told(StoreList now, string? unsettled) =>
        $"[{string.Join(", ", now.Stores.Keys)}] keep the store"
        + (unsettled is null ? "." : $"; not every key is written there yet ({unsettled}), which goes on with the next sweep.");

    // A newcomer empties its store first, which may have been in a list before, and is told of the present one.
    private async Task<(StoreList Next, IReadOnlyList<MetReply> Met)> NextAsync(
        StoreList now, IReadOnlyList<ClusterId> comes, IReadOnlyList<ClusterId> goes, CancellationToken cancellationToken)
    {
        var newcomers = comes.Where(c => !now.Stores.ContainsKey(c)).ToList();
        foreach (var newcomer in newcomers)
        {
            await ClearAsync(now, newcomer, cancellationToken);
        }

        var met = await acceptors.MeetAsync(new MeetRequest(), newcomers, cancellationToken);
        var stores = now.Stores.RemoveRange(goes);
        foreach (var newcomer in newcomers)
        {
            stores = stores.SetItem(newcomer, met.FirstOrDefault(m => m.Cluster == newcomer)?.Store ?? Guid.Empty);
        }

        return (now.Next(stores, met.Where(m => newcomers.Contains(m.Cluster)).Select(m => m.Promised).DefaultIfEmpty().Max()), met);
    }

    private async Task ClearAsync(StoreList now, ClusterId newcomer, CancellationToken cancellationToken)
    {
        var met = await acceptors.MeetAsync(newcomer, new FoundRequest(acceptors.Configuration.InWords, now), cancellationToken);
        for (var asked = 0; asked < MaxClears && met is not null && KeeperRules.IsToClear(met, now); asked++)
        {
            // Goes on where the last one has stopped, which may have been before the present list: it takes none over until it is empty.
            met = await acceptors.MeetAsync(newcomer, new ClearRequest(now), cancellationToken);
        }
    }

    private async Task<string?> SettleAsync(KeptList kept, Ballot? tag, CancellationToken cancellationToken)
    {
        if (kept.IsSettled)
        {
            return null;
        }

        await acceptors.TellAsync(kept.Stores, [], cancellationToken);
        var why = await _settlement.RunAsync(kept.Stores, cancellationToken);
        if (why is null && kept.Stores.IsForced)
        {
            // Nothing of the register before is taken by any survivor from now on: what was renewed there was so before.
            await Task.Delay(options.ForcedWait, time, cancellationToken);
            var serving = kept.Stores.Next(kept.Stores.Stores);
            await WriteAsync(new(serving, IsSettled: false), tag, cancellationToken);
            var (next, nextTag, _) = await ReadRegisterAsync(cancellationToken);
            return next.Stores.Supersedes(kept.Stores)
                ? await SettleAsync(next, nextTag, cancellationToken)
                : "that it serves could not be written";
        }

        if (why is null && await WriteAsync(kept with { IsSettled = true }, tag, cancellationToken))
        {
            logger.KeepersSettled(options.Service!, kept.Stores.Version);
            return null;
        }

        // Somebody else may have settled it meanwhile.
        var now = (await ReadRegisterAsync(cancellationToken)).Kept;
        return now.IsSettled || now.Stores.Supersedes(kept.Stores) ? null : why ?? "that it is done could not be written";
    }

    // Without a value the list is the first one, which was settled from the beginning: there was none before it. But for a forced one. Was:
    // what stands there, also where that is of the register before.
    private async Task<(KeptList Kept, Ballot? Tag, KeptList? Was)> ReadRegisterAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(options.OperationTimeout, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            for (var asked = 1; ; asked++)
            {
                var first = await acceptors.ListAsync(both.Token);
                var value = await proposer.ReadAsync(OwnKeys.Stores, both.Token);
                var was = value is { IsLive: true } ? QuorumCodec.ReadKept(value.Bytes.Span) : null;
                var kept = was ?? new(first, IsSettled: !first.IsForced);
                if (first.IsForced && first.IsAfterThatOf(kept.Stores))
                {
                    // What stands there is of the register before. A forced list is decided by those that took it over.
                    kept = new(first, IsSettled: false);
                }

                acceptors.Learn(kept.Stores);
                if (!(await acceptors.ListAsync(both.Token)).IsAfterThatOf(kept.Stores))
                {
                    return (kept, was is null ? null : value!.Tag, was);
                }

                await Task.Delay(BackOff.Doubled(asked, options.MinBackoff, options.MaxBackoff), time, both.Token);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new GeoUnavailableException(
                $"The list of the clusters that keep the store '{options.Service}' is not known: no majority of "
                + $"[{string.Join(", ", acceptors.Keepers)}] answers.{acceptors.Obstacles} Where so many are lost for ever, give them "
                + $"up by force ({nameof(QuorumConditionalStore.ForceRemoveKeepersAsync)}).");
        }
    }

    // False where it was refused or is in doubt: what is read next tells.
    private async Task<bool> WriteAsync(KeptList kept, Ballot? tag, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(options.OperationTimeout, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await proposer.ChangeAsync(OwnKeys.Stores, new Change(tag), isLive: true, QuorumCodec.Write(kept), both.Token)
                == ChangeVerdict.Applied;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }
}
