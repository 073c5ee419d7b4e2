namespace Geo.HealthChecks.Tests;

/// <summary>A silo that says what a test has it say.</summary>
internal sealed class ToldStatus(SiloReport? silo, params StoreAnswer[] stores) : IGeoStatus
{
    public SiloReport? Read() => silo;

    public ValueTask<IReadOnlyList<StoreAnswer>> AskStoresAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        new(stores);
}
