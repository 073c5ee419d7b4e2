using System.Runtime.CompilerServices;

namespace Geo.Storage.Quorum;

/// <summary>
/// Lists by majority: pages from all acceptors, merged as far as all of a majority's pages reach. A key of which they tell the same is
/// taken as it is, any other is read (rule R13).
/// </summary>
internal sealed class QuorumList(Acceptors acceptors, QuorumStoreOptions options, IConditionalStore store, TimeProvider time)
{
    // Keys that are read side by side: as many as a sweep goes through.
    private const int AtOnce = 32;

    /// <exception cref="GeoUnavailableException">No majority answers; what was listed so far stands.</exception>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        do
        {
            var table = await TableAsync(new(prefix, after, options.PageRows), cancellationToken);
            var seen = time.GetTimestamp();
            foreach (var some in table.Keys.Where(k => !OwnKeys.Include(k)).Chunk(AtOnce))
            {
                // Where a region was lost many are disputed, and each takes some trips.
                var entries = await Task.WhenAll(some.Select(k => EntryAsync(k, table, seen, cancellationToken).AsTask()));
                foreach (var entry in entries.OfType<StoreEntry>())
                {
                    yield return entry;
                }
            }

            after = table.End;
        }
        while (after is not null);
    }

    private async Task<PageTable> TableAsync(ListRequest request, CancellationToken cancellationToken)
    {
        if ((await acceptors.ListInTimeAsync(cancellationToken)).IsForced && !await ServesInTimeAsync(cancellationToken))
        {
            throw Unlisted(request);
        }

        var (list, answers) = await acceptors.ListAsync(request, a => a.IsClear<PageReply>(), cancellationToken);
        return answers.HasMajority<PageReply>() && !list.IsForced
            ? new([.. answers.Replies.OfType<PageReply>()])
            : throw Unlisted(request);
    }

    private async Task<bool> ServesInTimeAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(options.PageTimeout, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            await acceptors.ServingListAsync(both.Token);
            return true;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    private GeoUnavailableException Unlisted(ListRequest request) => new(
        $"The keys under '{request.Prefix}' cannot be listed: no majority of the clusters "
        + $"[{string.Join(", ", acceptors.Keepers)}] answers.{acceptors.Obstacles}");

    private async ValueTask<StoreEntry?> EntryAsync(string key, PageTable table, long seen, CancellationToken cancellationToken)
    {
        if (table.IsAgreed(key, out var row))
        {
            return row.Value is { IsLive: true } value ? Entry(value.Bytes, value.Tag) : null;
        }

        var read = await store.ReadAsync(key, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Found when Ballot.TryParse(read.ETag!.Value.Value, out var tag) => Entry(read.Value, tag),
            StoreReadOutcome.NotFound => null,
            _ => throw new GeoUnavailableException($"The key '{key}' cannot be listed: {read.Reason}"),
        };

        StoreEntry Entry(ReadOnlyMemory<byte> bytes, Ballot tag) => new(key, bytes, new(tag.ToString()))
        {
            Age = table.AgeOf(key, tag) is { } age ? age + time.GetElapsedTime(seen) : TimeSpan.Zero,
        };
    }
}
