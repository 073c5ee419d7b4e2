namespace Geo.Testing.Conformance;

/// <summary>A store says which one it is, for ever and to everybody.</summary>
internal static class StoreIdentityCases
{
    private const int Askers = 8;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("The identity of a store stays what it was", Stays),
        new("Every handle onto a store finds the same identity", EveryHandle),
        new("All who ask for the identity at one time get the same", AtOneTime),
    ];

    private static async Task Stays(StoreBench b)
    {
        var first = await IdentityAsync(b.Store);
        Expect(await IdentityAsync(b.Store), first);
    }

    private static async Task EveryHandle(StoreBench b)
    {
        var first = await IdentityAsync(b.Store);
        Expect(await IdentityAsync(await b.Subject.OpenAsync()), first);
    }

    private static async Task AtOneTime(StoreBench b)
    {
        var found = await Task.WhenAll(Enumerable.Range(0, Askers).Select(_ => Task.Run(() => IdentityAsync(b.Store))));
        foreach (var identity in found)
        {
            Expect(identity, found[0]);
        }
    }

    private static Task<Guid> IdentityAsync(IConditionalStore store) =>
        StoreIdentity.EnsureAsync(store, Guid.NewGuid(), TimeProvider.System, Patience);

    private static void Expect(Guid identity, Guid first) =>
        StoreBench.Expect(identity == first, $"the identity {first}", identity.ToString());
}
