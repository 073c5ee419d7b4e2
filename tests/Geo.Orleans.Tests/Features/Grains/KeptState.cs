namespace Geo.Orleans.Tests.Features.Grains;

[GenerateSerializer]
public sealed class KeptState
{
    [Id(0)]
    public int Sum { get; set; }
}
