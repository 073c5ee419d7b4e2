using System.Collections.Immutable;
using Orleans.Metadata;

namespace Geo.Orleans.Tests.Lattices;

public sealed class PartialGrainsTests
{
    private static readonly GrainType Shelf = GrainType.Create("shelf");

    [Fact]
    public void Another_placement_is_known_as_soon_as_silos_tell_it()
    {
        var silos = new Silos();
        silos.Tell(1, "us,asia,eu", replicas: 1);
        var placed = new PartialGrains(new GrainPropertiesResolver(silos), silos);
        var grains = Enumerable.Range(0, 100).Select(i => GrainId.Create(Shelf, $"{i}")).ToList();
        Assert.Contains(grains, grain => placed.HoldersOf(grain).Single() == new ClusterId("asia"));

        silos.Tell(2, "us,eu", replicas: 1);
        Assert.DoesNotContain(grains, grain => placed.HoldersOf(grain).Single() == new ClusterId("asia"));

        silos.Tell(3, "us,asia,eu", replicas: 2);
        Assert.All(grains, grain => Assert.Equal(2, placed.HoldersOf(grain).Count));
        Assert.True(placed.IsPartial(Shelf));
    }

    private sealed class Silos : IClusterManifestProvider
    {
        private ClusterManifest? _current;

        public ClusterManifest Current => _current!;

        public IAsyncEnumerable<ClusterManifest> Updates => throw new NotSupportedException();

        public GrainManifest LocalGrainManifest => throw new NotSupportedException();

        public void Tell(long version, string clusters, int replicas)
        {
            var properties = ImmutableDictionary.Create<string, string>(StringComparer.Ordinal)
                .Add(GlobalSingleProperties.ReplicasProperty, $"{replicas}").Add(GlobalSingleProperties.ClustersProperty, clusters);
            var manifest = new GrainManifest(
                ImmutableDictionary<GrainType, GrainProperties>.Empty.Add(Shelf, new(properties)),
                ImmutableDictionary<GrainInterfaceType, GrainInterfaceProperties>.Empty);
            _current = new(
                new(version, 0), ImmutableDictionary<SiloAddress, GrainManifest>.Empty.Add(SiloAddress.Zero, manifest), [manifest]);
        }
    }
}
