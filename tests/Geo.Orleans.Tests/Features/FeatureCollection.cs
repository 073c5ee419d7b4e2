namespace Geo.Orleans.Tests.Features;

/// <summary>Says which tests share one <see cref="FeatureClusters"/>.</summary>
[CollectionDefinition(Name)]
public sealed class FeatureCollection : ICollectionFixture<FeatureClusters>
{
    public const string Name = "features";
}
