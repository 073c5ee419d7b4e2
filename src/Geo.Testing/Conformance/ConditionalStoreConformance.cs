namespace Geo.Testing.Conformance;

/// <summary>
/// The contract of <see cref="IConditionalStore"/> as runnable cases, for every store alike and for any test framework.
/// </summary>
/// <example>
/// With xunit:
/// <code>
/// public static TheoryData&lt;string&gt; Cases => [.. ConditionalStoreConformance.Names];
///
/// [Theory, MemberData(nameof(Cases))]
/// public Task Keeps_the_contract(string name) => ConditionalStoreConformance.RunAsync(name, new(OpenMyStoreAsync));
/// </code>
/// </example>
public static class ConditionalStoreConformance
{
    /// <summary>All cases.</summary>
    public static IReadOnlyList<ConditionalStoreCase> Cases { get; } =
        [
            .. StoreWriteCases.All, .. StoreValueCases.All, .. StoreKeyCases.All, .. StoreListCases.All, .. StoreConcurrencyCases.All,
            .. StoreIdentityCases.All,
        ];

    /// <summary>The names of all cases, for a test framework that identifies tests by text.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Cases.Select(c => c.Name)];

    /// <summary>Runs one case.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="subject">The store under test. Entries of earlier cases may be there; no case touches another's.</param>
    /// <exception cref="ConformanceException">The store breaks the contract.</exception>
    /// <exception cref="ArgumentException">There is no such case.</exception>
    public static Task RunAsync(string name, ConditionalStoreSubject subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        var found = Cases.FirstOrDefault(c => c.Name == name)
            ?? throw new ArgumentException($"There is no conformance case '{name}'.", nameof(name));
        return !subject.CanList && StoreListCases.All.Contains(found) ? RefusesToListAsync(subject) : found.CheckAsync(subject);
    }

    private static async Task RefusesToListAsync(ConditionalStoreSubject subject)
    {
        var b = await StoreBench.OpenAsync(subject);
        await StoreBench.ThrowsAsync<GeoStorageException>(
            async () => await b.Store.ListAsync(b.Key("")).GetAsyncEnumerator().MoveNextAsync(), "a list of a store that cannot");
    }
}
