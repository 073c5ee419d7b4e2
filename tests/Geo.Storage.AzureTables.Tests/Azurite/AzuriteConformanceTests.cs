using Geo.Testing.Conformance;

namespace Geo.Storage.AzureTables.Tests.Azurite;

public sealed class AzuriteConformanceTests(AzuriteServer azurite)
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_a_conditional_store(string name)
    {
        var options = await azurite.OptionsAsync() with { PageEntries = 10 };
        using var one = await AzureTableConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken);
        using var other = await AzureTableConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken);
        Queue<IConditionalStore> handles = new([one, other]);

        // Azurite, unlike the service, counts the base64 of an update's body against the 1 MiB of an entity.
        await ConditionalStoreConformance.RunAsync(
            name, new ConditionalStoreSubject(() => new(handles.Dequeue())) { LargeValueBytes = 750 * 1024, IncrementsPerWriter = 5 });
    }
}
