using System.Runtime.CompilerServices;

namespace Geo.Storage.Quorum;

/// <summary>
/// Lists by majority: pages from all acceptors, merged as far as all of a majority's pages reach. A key of which they tell the same is
/// taken as it is, any other is read (rule R13).
/// </summary>
internal sealed class QuorumList(Acceptors acceptors, QuorumStoreOptions options, IConditionalStore store)
{
    /// <exception cref="GeoUnavailableException">No majority answers; what was listed so far stands.</exception>
    public async IAsyncEnumerable<StoreEntry> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string? after = null;
        while (true)
        {
            var pages = await PagesAsync(new(prefix, after, options.PageRows), cancellationToken);
            var end = pages.Where(p => !p.IsLast).Select(p => p.Rows[^1].Key).Min(CodePointOrder.Instance);
            var keys = pages.SelectMany(p => p.Rows).Select(r => r.Key).Distinct()
                .Where(k => end is null || CodePointOrder.Instance.Compare(k, end) <= 0).Order(CodePointOrder.Instance).ToList();
            var tables = pages.ConvertAll(p => p.Rows.ToDictionary(r => r.Key, r => r.Row, StringComparer.Ordinal));
            foreach (var key in keys)
            {
                if (await EntryAsync(key, tables, cancellationToken) is { } entry)
                {
                    yield return entry;
                }
            }

            if (end is null)
            {
                yield break;
            }

            after = end;
        }
    }

    private async Task<List<PageReply>> PagesAsync(ListRequest request, CancellationToken cancellationToken)
    {
        var answers = await acceptors.AskAsync(request, a => a.IsClear<PageReply>(), cancellationToken);
        return answers.HasMajority<PageReply>()
            ? [.. answers.Replies.OfType<PageReply>()]
            : throw new GeoUnavailableException(
                $"The keys under '{request.Prefix}' cannot be listed: no majority of the clusters "
                + $"[{string.Join(", ", acceptors.Configuration.Acceptors)}] answers.");
    }

    private async ValueTask<StoreEntry?> EntryAsync(
        string key, List<Dictionary<string, ToldReply>> tables, CancellationToken cancellationToken)
    {
        var rows = tables.ConvertAll(t => t.GetValueOrDefault(key));
        if (rows.TrueForAll(r => (r?.Accepted ?? Ballot.None) == (rows[0]?.Accepted ?? Ballot.None)))
        {
            return rows[0]?.Value is { IsLive: true } value ? new StoreEntry(key, value.Bytes, new ETag(value.Tag.ToString())) : null;
        }

        var read = await store.ReadAsync(key, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Found => new StoreEntry(key, read.Value, read.ETag!.Value),
            StoreReadOutcome.NotFound => null,
            _ => throw new GeoUnavailableException($"The key '{key}' cannot be listed: {read.Reason}"),
        };
    }
}
