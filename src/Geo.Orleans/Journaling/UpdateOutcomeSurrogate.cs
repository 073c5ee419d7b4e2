using Geo.Consistency;

namespace Geo.Orleans;

/// <summary>What of an update's outcome travels.</summary>
[GenerateSerializer]
[Alias("geo.update-outcome")]
internal struct UpdateOutcomeSurrogate
{
    [Id(0)]
    public bool IsRefused;

    [Id(1)]
    public bool IsConfirmed;

    [Id(2)]
    public long Version;

    [Id(3)]
    public string Cluster;

    [Id(4)]
    public SessionToken Session;
}
