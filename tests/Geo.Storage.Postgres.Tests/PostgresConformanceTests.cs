using Geo.Testing.Conformance;

namespace Geo.Storage.Postgres.Tests;

[Collection("one server")]
public sealed class PostgresConformanceTests(PostgresFixture server)
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_a_conditional_store(string name)
    {
        var options = await server.OptionsAsync();
        await using var one = await PostgresConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken);
        await using var other = new PostgresConditionalStore(options);
        Queue<IConditionalStore> handles = new([one, other]);

        await ConditionalStoreConformance.RunAsync(
            name,
            new ConditionalStoreSubject(() => new(handles.Dequeue()))
            {
                LargeValueBytes = 16 * 1024 * 1024,
                IncrementsPerWriter = 10,
                ListedEntries = 300,
            });
    }
}
