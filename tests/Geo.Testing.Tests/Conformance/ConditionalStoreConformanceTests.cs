using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Geo.Testing.Conformance;

namespace Geo.Testing.Tests.Conformance;

/// <summary>The suite is worth what it catches: each store here breaks the contract in one way and must be found out.</summary>
public sealed class ConditionalStoreConformanceTests
{
    [Fact]
    public void Every_case_has_a_name_of_its_own() =>
        Assert.Distinct(ConditionalStoreConformance.Names);

    [Fact]
    public async Task A_case_that_does_not_exist_is_refused_by_name()
    {
        var refused = await Assert.ThrowsAsync<ArgumentException>(
            () => ConditionalStoreConformance.RunAsync("no such", new(() => new(new InMemoryConditionalStore()))));

        Assert.StartsWith("There is no conformance case 'no such'.", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Flaw.IgnoresEtags, "A replacement with the present etag applies, with the former one it conflicts")]
    [InlineData(Flaw.IgnoresEtags, "Of concurrent replacements of one version exactly one applies")]
    [InlineData(Flaw.ReusesEtags, "No etag comes twice under a key, across delete and re-creation and for equal values")]
    [InlineData(Flaw.FoldsCase, "Keys with peculiar characters are kept apart")]
    [InlineData(Flaw.AliasesValues, "A value does not change with the caller's buffer")]
    [InlineData(Flaw.SharesEtagsBetweenKeys, "The etag of another key does not fit")]
    [InlineData(Flaw.ListsByWildcard, "A prefix is literal: wildcard characters match themselves only")]
    [InlineData(Flaw.ListsInAnyOrder, "A list is in the order of the keys' UTF-8 bytes")]
    [InlineData(Flaw.IgnoresCancellation, "An operation cancelled before it starts throws and has no effect")]
    [InlineData(Flaw.LosesEmptyValues, "An empty value is a value")]
    [InlineData(Flaw.ChecksThenActs, "Concurrent increments over two handles are all counted")]
    public async Task A_store_with_a_flaw_is_found_out(Flaw flaw, string name)
    {
        var store = new FlawedStore(flaw);

        await Assert.ThrowsAsync<ConformanceException>(() => ConditionalStoreConformance.RunAsync(name, new(() => new(store))));
    }

    [Fact]
    public async Task The_same_store_without_a_flaw_passes_every_case()
    {
        foreach (var name in ConditionalStoreConformance.Names)
        {
            var store = new FlawedStore(Flaw.None);
            await ConditionalStoreConformance.RunAsync(name, new(() => new(store)));
        }

        Assert.NotEmpty(ConditionalStoreConformance.Names);
    }

    public enum Flaw
    {
        None,
        IgnoresEtags,
        ReusesEtags,
        FoldsCase,
        AliasesValues,
        SharesEtagsBetweenKeys,
        ListsByWildcard,
        ListsInAnyOrder,
        IgnoresCancellation,
        LosesEmptyValues,
        ChecksThenActs,
    }

    private sealed class FlawedStore(Flaw flaw) : IConditionalStore
    {
        private readonly ConcurrentDictionary<string, (ReadOnlyMemory<byte> Value, ETag ETag)> _entries =
            new(flaw == Flaw.FoldsCase ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal);

        private readonly Lock _lock = new();
        private long _last;

        public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
        {
            Check(key, cancellationToken);
            return new(_entries.TryGetValue(key, out var entry) && !(flaw == Flaw.LosesEmptyValues && entry.Value.IsEmpty)
                ? StoreRead.Found(entry.Value, entry.ETag)
                : StoreRead.NotFound);
        }

        public ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
        {
            Check(key, cancellationToken);
            return ChangeAsync(key, expected, () =>
            {
                var version = flaw switch
                {
                    Flaw.ReusesEtags => _entries.TryGetValue(key, out var old) ? long.Parse(old.ETag.Value, null) + 1 : 1,
                    Flaw.SharesEtagsBetweenKeys => 1,
                    _ => Interlocked.Increment(ref _last),
                };
                var etag = new ETag($"{version}");
                _entries[key] = (flaw == Flaw.AliasesValues ? value : value.ToArray(), etag);
                return StoreWrite.Applied(etag);
            });
        }

        public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
        {
            Check(key, cancellationToken);
            return ChangeAsync(key, expected, () =>
            {
                _entries.TryRemove(key, out _);
                return StoreWrite.Deleted;
            });
        }

        public async IAsyncEnumerable<StoreEntry> ListAsync(
            string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
        {
            StoreLimits.CheckPrefix(prefix);
            cancellationToken.ThrowIfCancellationRequested();
            var pattern = prefix.Replace('%', '*').Replace('_', '?');
            var matching = _entries.Where(e => flaw == Flaw.ListsByWildcard
                ? System.IO.Enumeration.FileSystemName.MatchesSimpleExpression(pattern + "*", e.Key, ignoreCase: false)
                : e.Key.StartsWith(prefix, StringComparison.Ordinal));
            foreach (var (key, entry) in flaw == Flaw.ListsInAnyOrder
                ? matching
                : matching.OrderBy(e => Convert.ToHexString(System.Text.Encoding.UTF8.GetBytes(e.Key)), StringComparer.Ordinal))
            {
                await ValueTask.CompletedTask;
                yield return new StoreEntry(key, entry.Value, entry.ETag);
            }
        }

        private async ValueTask<StoreWrite> ChangeAsync(string key, ETag? expected, Func<StoreWrite> change)
        {
            if (flaw == Flaw.ChecksThenActs)
            {
                if (!IsExpected(key, expected))
                {
                    return StoreWrite.Conflict;
                }

                await Task.Delay(1, CancellationToken.None);
                return change();
            }

            lock (_lock)
            {
                return IsExpected(key, expected) ? change() : StoreWrite.Conflict;
            }
        }

        private void Check(string key, CancellationToken cancellationToken)
        {
            StoreLimits.CheckKey(key);
            if (flaw != Flaw.IgnoresCancellation)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
        }

        private bool IsExpected(string key, ETag? expected) =>
            flaw == Flaw.IgnoresEtags || (_entries.TryGetValue(key, out var entry) ? expected == entry.ETag : expected is null);
    }
}
