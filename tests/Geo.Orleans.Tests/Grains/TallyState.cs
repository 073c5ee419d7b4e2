namespace Geo.Orleans.Tests.Grains;

[GenerateSerializer]
public sealed class TallyState
{
    [Id(0)]
    public int Sum { get; set; }

    public void Apply(Added added) => Sum += added.Amount;
}
