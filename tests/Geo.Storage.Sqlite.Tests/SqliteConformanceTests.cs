using Geo.Testing.Conformance;

namespace Geo.Storage.Sqlite.Tests;

public sealed class SqliteConformanceTests
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_a_conditional_store(string name)
    {
        await using var file = new StoreFile();

        await ConditionalStoreConformance.RunAsync(
            name,
            new ConditionalStoreSubject(async () => await file.OpenAsync())
            {
                LargeValueBytes = 16 * 1024 * 1024,
                IncrementsPerWriter = 10,
                ListedEntries = 256,
            });

        Assert.Equal("ok", await Sqlite3.IntegrityAsync(file.Path));
    }
}
