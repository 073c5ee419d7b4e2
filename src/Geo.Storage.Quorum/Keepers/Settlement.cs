namespace Geo.Storage.Quorum;

/// <summary>
/// Writes every key under a list of stores, so that the next one may be decided (rule R16): pages from a majority that has taken the list
/// over, and of each key in them, those without a value too, a promise and the value anew. A key that is in none of them is bound there by
/// the floor of the list. Any process may do so, and go on where another has stopped.
/// </summary>
internal sealed class Settlement(Acceptors acceptors, QuorumStoreOptions options, TimeProvider time, Proposer proposer)
{
    // Keys that are worked on at the same time, as in a sweep; and how often one is tried.
    private const int AtOnce = 32;
    private const int MaxTries = 10;

    /// <summary>Settles a list.</summary>
    /// <returns>Null when it is settled; otherwise why not.</returns>
    public async Task<string?> RunAsync(StoreList list, CancellationToken cancellationToken)
    {
        string? after = null;
        do
        {
            var (asked, answers) = await acceptors.ListAsync(
                new("", after, options.PageRows), a => a.IsClear<PageReply>(), cancellationToken);
            if (asked.Digest != list.Digest)
            {
                return $"version {asked.Version} has come meanwhile";
            }

            if (!answers.HasMajority<PageReply>())
            {
                return $"{Who(list)} [{string.Join(", ", list.Stores.Keys)}] tells its keys";
            }

            var table = new PageTable([.. answers.Replies.OfType<PageReply>()]);
            foreach (var some in table.Keys.Chunk(AtOnce))
            {
                var settled = await Task.WhenAll(some.Select(key => SettleAsync(list, key, cancellationToken)));
                if (Array.IndexOf(settled, false) is >= 0 and var left)
                {
                    return $"{Who(list)} [{string.Join(", ", list.Stores.Keys)}] takes the key '{some[left]}'";
                }
            }

            after = table.End;
        }
        while (after is not null);

        return null;
    }

    private static string Who(StoreList list) => list.IsForced ? "not each of the clusters" : "no majority of the clusters";

    private async Task<bool> SettleAsync(StoreList list, string key, CancellationToken cancellationToken)
    {
        if (SwitchedOff.Is(ProtocolRule.EveryKeyIsWritten))
        {
            return true;
        }

        for (var tries = 1; tries <= MaxTries; tries++)
        {
            if (await proposer.SettleAsync(list, key, cancellationToken))
            {
                return true;
            }

            await Task.Delay(BackOff.Doubled(tries, options.MinBackoff, options.MaxBackoff), time, cancellationToken);
        }

        return false;
    }
}
