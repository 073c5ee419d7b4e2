namespace Geo.Tool.Tests.Kit;

/// <summary>The silo's own word, changed as a test wants it.</summary>
internal sealed class ToldStatus(IGeoStatus silo, Func<SiloReport, SiloReport> change) : IGeoStatus
{
    public SiloReport? Read() => silo.Read() is { } report ? change(report) : null;

    public ValueTask<IReadOnlyList<StoreAnswer>> AskStoresAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        silo.AskStoresAsync(timeout, cancellationToken);
}
