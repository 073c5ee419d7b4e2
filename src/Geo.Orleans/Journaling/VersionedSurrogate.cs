using Geo.Consistency;

namespace Geo.Orleans;

/// <summary>What of a read with its version travels.</summary>
[GenerateSerializer]
[Alias("geo.versioned`1")]
internal struct VersionedSurrogate<T>
{
    [Id(0)]
    public T Value;

    [Id(1)]
    public long Version;

    [Id(2)]
    public TimeSpan? Age;

    [Id(3)]
    public string Cluster;

    [Id(4)]
    public SessionToken Session;
}
