using Geo.Testing.Conformance;

namespace Geo.Abstractions.Tests.Storage;

public sealed class InMemoryConditionalStoreTests
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Keeps_the_contract_of_a_conditional_store(string name)
    {
        var store = new InMemoryConditionalStore();
        return ConditionalStoreConformance.RunAsync(
            name, new ConditionalStoreSubject(() => new(store)) { LargeValueBytes = 16 * 1024 * 1024 });
    }

    [Fact]
    public async Task A_value_over_the_limit_is_refused_and_changes_nothing()
    {
        var store = new InMemoryConditionalStore(maxValueBytes: 3);
        var kept = await store.WriteAsync("k", new byte[3], null, TestContext.Current.CancellationToken);

        var refused = await Assert.ThrowsAsync<GeoStorageException>(
            async () => await store.WriteAsync("k", new byte[4], kept.ETag, TestContext.Current.CancellationToken));

        Assert.Equal("The value for 'k' has 4 bytes; this in-memory store takes at most 3 a value.", refused.Message);
        Assert.Equal(kept.ETag, (await store.ReadAsync("k", TestContext.Current.CancellationToken)).ETag);
    }

    [Fact]
    public async Task A_list_copies_no_more_than_a_page_at_a_time()
    {
        var store = new InMemoryConditionalStore();
        for (var i = 0; i < 20_000; i++)
        {
            await store.WriteAsync($"k{i:00000}", new byte[1], null, TestContext.Current.CancellationToken);
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        await using var list = store.ListAsync("k", TestContext.Current.CancellationToken)
            .GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await list.MoveNextAsync());

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * 1024);
        Assert.Equal("k00000", list.Current.Key);
    }

    [Fact]
    public async Task A_list_under_way_shows_what_is_written_and_deleted_beyond_the_page_it_is_at()
    {
        var store = new InMemoryConditionalStore();
        var tags = new ETag?[1000];
        for (var i = 0; i < tags.Length; i++)
        {
            tags[i] = (await store.WriteAsync($"k{i:000}", new byte[1], null, TestContext.Current.CancellationToken)).ETag;
        }

        var seen = new List<string>();
        await foreach (var entry in store.ListAsync("k", TestContext.Current.CancellationToken))
        {
            if (seen.Count == 0)
            {
                await store.DeleteAsync("k998", tags[998]!.Value, TestContext.Current.CancellationToken);
                await store.WriteAsync("k997/new", new byte[1], null, TestContext.Current.CancellationToken);
            }

            seen.Add(entry.Key);
        }

        Assert.Equal(1000, seen.Count);
        Assert.Equal(["k996", "k997", "k997/new", "k999"], seen[^4..]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_limit_that_takes_no_value_is_refused(int maxValueBytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new InMemoryConditionalStore(maxValueBytes));
}
