using System.Runtime.CompilerServices;

namespace Geo.Storage.Quorum;

/// <summary>
/// Lists by majority: pages from all acceptors, merged as far as all of a majority's pages reach. A key of which they tell the same is
/// taken as it is, any other is read (rule R13).
/// </summary>
internal sealed class QuorumList(Acceptors acceptors, QuorumStoreOptions options, IConditionalStore store, TimeProvider time)
{
    /// <exception cref="GeoUnavailableException">No majority answers; what was listed so far stands.</exception>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        do
        {
            var table = await TableAsync(new(prefix, after, options.PageRows), cancellationToken);
            var seen = time.GetTimestamp();

            // At once: where a region was lost there are many, and each takes some trips.
            var disputed = table.Keys.Where(k => !OwnKeys.Include(k) && !table.IsAgreed(k, out _)).ToList();
            var reads = await Task.WhenAll(disputed.Select(k => store.ReadAsync(k, cancellationToken).AsTask()));
            var read = disputed.Zip(reads).ToDictionary(r => r.First, r => r.Second, StringComparer.Ordinal);
            foreach (var key in table.Keys.Where(k => !OwnKeys.Include(k)))
            {
                var entry = read.TryGetValue(key, out var settled)
                    ? EntryOf(key, settled, table.Rows(key), seen)
                    : table.IsAgreed(key, out var row) && row.Value is { IsLive: true } value
                        ? new StoreEntry(key, value.Bytes, new ETag(value.Tag.ToString()))
                        : null;
                if (entry is { } live)
                {
                    yield return live;
                }
            }

            after = table.End;
        }
        while (after is not null);
    }

    private async Task<PageTable> TableAsync(ListRequest request, CancellationToken cancellationToken)
    {
        var (list, answers) = await acceptors.ListAsync(request, a => a.IsClear<PageReply>(), cancellationToken);
        return answers.HasMajority<PageReply>()
            ? new([.. answers.Replies.OfType<PageReply>()])
            : throw new GeoUnavailableException(
                $"The keys under '{request.Prefix}' cannot be listed: no majority of the clusters "
                + $"[{string.Join(", ", list.Stores.Keys)}] answers.");
    }

    private StoreEntry? EntryOf(string key, StoreRead read, IReadOnlyList<ToldReply> told, long seen) => read.Outcome switch
    {
        StoreReadOutcome.Found => new StoreEntry(key, read.Value, read.ETag!.Value)
        {
            Age = told.Any(t => t.Value?.Tag.ToString() == read.ETag.Value.Value) ? time.GetElapsedTime(seen) : TimeSpan.Zero,
        },
        StoreReadOutcome.NotFound => null,
        _ => throw new GeoUnavailableException($"The key '{key}' cannot be listed: {read.Reason}"),
    };
}
