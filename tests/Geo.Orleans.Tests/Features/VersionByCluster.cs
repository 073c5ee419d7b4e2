using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.Options;
using Orleans.Metadata;

namespace Geo.Orleans.Tests.Features;

/// <summary>Gives an interface another version in each cluster, as an update that reaches one after the other does.</summary>
internal sealed class VersionByCluster(IOptions<GeoOrleansOptions> options) : IGrainInterfacePropertiesProvider
{
    public void Populate(Type interfaceType, GrainInterfaceType grainInterfaceType, Dictionary<string, string> properties)
    {
        if (interfaceType == typeof(IEdition))
        {
            properties[WellKnownGrainInterfaceProperties.Version] = options.Value.ClusterId == "eu" ? "1" : "2";
        }
    }
}
