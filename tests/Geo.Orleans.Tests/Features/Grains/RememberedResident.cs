namespace Geo.Orleans.Tests.Features.Grains;

[GenerateSerializer]
public sealed class RememberedResident
{
    [Id(0)]
    public IResident? Resident { get; set; }

    [Id(1)]
    public IRoamer? Roamer { get; set; }
}
