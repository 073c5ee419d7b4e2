namespace Geo.Orleans.Tests.Grains;

[GenerateSerializer]
public sealed class LedgerState
{
    [Id(0)]
    public List<int> Numbers { get; set; } = [];

    public void Apply(Added added) => Numbers.Add(added.Amount);
}
