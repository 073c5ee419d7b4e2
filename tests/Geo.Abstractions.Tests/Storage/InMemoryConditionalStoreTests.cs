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

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_limit_that_takes_no_value_is_refused(int maxValueBytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new InMemoryConditionalStore(maxValueBytes));
}
