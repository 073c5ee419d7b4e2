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
        var (kept, tag) = await ReadRegisterAsync(cancellationToken);
        return await SettleAsync(kept, tag, cancellationToken);
    }

    /// <summary>Takes clusters in and out; one at a time is what is not refused.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    public async Task<ConfigurationChange> ChangeAsync(
        IReadOnlyList<ClusterId> comes, IReadOnlyList<ClusterId> goes, CancellationToken cancellationToken)
    {
        for (var tries = 0; tries < MaxConflicts; tries++)
        {
            var (kept, tag) = await ReadRegisterAsync(cancellationToken);
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
                (kept, tag) = await ReadRegisterAsync(cancellationToken);
                if (kept.Stores.Version != now.Version)
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
                var (then, thenTag) = await ReadRegisterAsync(cancellationToken);
                var left = SwitchedOff.Is(ProtocolRule.ListIsSettled) ? ""
                    : then.Stores.Version == next.Version ? await SettleAsync(then, thenTag, cancellationToken)
                    : null;
                return new(next.Version, Told(next, left));
            }
        }

        return new(null, $"Refused: the list was changed, or not answered for, {MaxConflicts} times meanwhile; try again.");
    }

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

        return (now.Next(stores), met);
    }

    private async Task ClearAsync(StoreList now, ClusterId newcomer, CancellationToken cancellationToken)
    {
        var met = await acceptors.MeetAsync(newcomer, new FoundRequest(acceptors.Configuration.InWords, now), cancellationToken);
        for (var asked = 0;
            asked < MaxClears && met is { HasStore: true, IsFresh: false } && (met.Kept is null || met.Kept.Digest == now.Digest);
            asked++)
        {
            // Goes on where the last one has stopped.
            met = await acceptors.MeetAsync(newcomer, new ClearRequest(), cancellationToken);
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
        if (why is null && await WriteAsync(kept with { IsSettled = true }, tag, cancellationToken))
        {
            logger.KeepersSettled(options.Service!, kept.Stores.Version);
            return null;
        }

        // Somebody else may have settled it meanwhile.
        var (now, _) = await ReadRegisterAsync(cancellationToken);
        return now.IsSettled || now.Stores.Version > kept.Stores.Version ? null : why ?? "that it is done could not be written";
    }

    // Without a value the list is the first one, which was settled from the beginning: there was none before it.
    private async Task<(KeptList Kept, Ballot? Tag)> ReadRegisterAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(options.OperationTimeout, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            var first = await acceptors.ListAsync(both.Token);
            if (await proposer.ReadAsync(OwnKeys.Stores, both.Token) is not { IsLive: true } value)
            {
                return (new(first, IsSettled: true), null);
            }

            var kept = QuorumCodec.ReadKept(value.Bytes.Span);
            acceptors.Learn(kept.Stores);
            return (kept, value.Tag);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new GeoUnavailableException(
                $"The list of the clusters that keep the store '{options.Service}' is not known: no majority of "
                + $"[{string.Join(", ", acceptors.Keepers)}] answers.{acceptors.Obstacles}");
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
