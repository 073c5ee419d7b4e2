namespace Geo.Experiments.Regions;

/// <summary>The entries, in their order.</summary>
[GenerateSerializer]
public sealed class LedgerState
{
#pragma warning disable CA1002, CA2227 // It is stored as it is.
    [Id(0)]
    public List<long> Entries { get; set; } = [];
#pragma warning restore CA1002, CA2227

    public void Apply(LedgerEntry entry)
    {
        ArgumentNullException.ThrowIfNull(entry);
        Entries.Add(entry.Id);
    }
}
