namespace Geo.Abstractions.Tests.Declarations;

/// <summary>GEO Table 1: which protocols a grain class's attributes pick, and which it may not combine.</summary>
public sealed class GrainDeclarationTests
{
    [Theory]
    [InlineData(typeof(Plain), false, Instancing.ClusterLocal, ViewProtocol.None)]
    [InlineData(typeof(Plain), true, Instancing.ClusterLocal, ViewProtocol.Local)]
    [InlineData(typeof(Single), false, Instancing.GlobalSingle, ViewProtocol.None)]
    [InlineData(typeof(Single), true, Instancing.GlobalSingle, ViewProtocol.Local)]
    [InlineData(typeof(Cas), true, Instancing.ClusterLocal, ViewProtocol.BatchedCas)]
    [InlineData(typeof(SingleCas), true, Instancing.GlobalSingle, ViewProtocol.BatchedCas)]
    [InlineData(typeof(Multi), true, Instancing.OnePerCluster, ViewProtocol.VersionedLeader)]
    [InlineData(typeof(MultiCas), true, Instancing.OnePerCluster, ViewProtocol.BatchedCas)]
    [InlineData(typeof(MultiLeader), true, Instancing.OnePerCluster, ViewProtocol.VersionedLeader)]
    public void The_attributes_pick_instancing_and_protocol(Type grain, bool versioned, Instancing instancing, ViewProtocol protocol)
    {
        var declaration = GrainDeclaration.Of(grain, versioned);

        Assert.Equal(instancing, declaration.Instancing);
        Assert.Equal(protocol, declaration.Protocol);
    }

    [Fact]
    public void Arguments_of_the_attributes_are_kept()
    {
        Assert.Equal("orders", GrainDeclaration.Of(typeof(MultiCas), true).Storage);
        Assert.Null(GrainDeclaration.Of(typeof(Cas), true).Storage);
        Assert.Equal(new ClusterId("eu"), GrainDeclaration.Of(typeof(MultiLeader), true).Leader);
        Assert.True(GrainDeclaration.Of(typeof(Multi), true).Leader.IsNone);
        Assert.Equal(SingleInstanceMode.Pessimistic, GrainDeclaration.Of(typeof(SingleCas), true).Mode);
        Assert.Equal(SingleInstanceMode.Optimistic, GrainDeclaration.Of(typeof(Single), false).Mode);
    }

    [Fact]
    public void A_derived_class_inherits_the_declaration() =>
        Assert.Equal(Instancing.GlobalSingle, GrainDeclaration.Of(typeof(DerivedFromSingle), false).Instancing);

    [Theory]
    [InlineData(typeof(SingleAndMulti), true, "has both [GlobalSingleInstance] and [OneInstancePerCluster]; keep one")]
    [InlineData(typeof(SingleAndMulti), false, "has both [GlobalSingleInstance] and [OneInstancePerCluster]; keep one")]
    [InlineData(typeof(CasAndLeader), true, "has both [BatchedCas] and [VersionedLeader]; keep one")]
    [InlineData(
        typeof(Cas), false, "names a consistency protocol but is not a JournaledGrain; derive from JournaledGrain or remove the attribute")]
    [InlineData(typeof(MultiLeader), false,
        "names a consistency protocol but is not a JournaledGrain; derive from JournaledGrain or remove the attribute")]
    [InlineData(typeof(Multi), false,
        "has [OneInstancePerCluster] but is not a JournaledGrain, so nothing would keep its instances consistent; "
        + "derive from JournaledGrain or use [GlobalSingleInstance]")]
    [InlineData(typeof(LeaderAlone), true,
        "has [VersionedLeader], which orders the updates of several instances, but not [OneInstancePerCluster]; add it")]
    [InlineData(typeof(SingleLeader), true,
        "has [VersionedLeader], which orders the updates of several instances, but not [OneInstancePerCluster]; add it")]
    public void A_contradiction_is_refused_with_class_and_remedy(Type grain, bool versioned, string what)
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => GrainDeclaration.Of(grain, versioned));

        Assert.Equal($"Grain class {grain.FullName} {what}.", refused.Message);
    }

    [Fact]
    public void A_leader_that_cannot_be_a_cluster_is_refused_with_the_class()
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => GrainDeclaration.Of(typeof(BadLeader), true));

        Assert.StartsWith(
            $"Grain class {typeof(BadLeader).FullName} names a leader that cannot be: 'e u'", refused.Message, StringComparison.Ordinal);
    }

    private sealed class Plain;

    [GlobalSingleInstance]
    private class Single;

    private sealed class DerivedFromSingle : Single;

    [BatchedCas]
    private sealed class Cas;

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic), BatchedCas]
    private sealed class SingleCas;

    [OneInstancePerCluster]
    private sealed class Multi;

    [OneInstancePerCluster, BatchedCas(Storage = "orders")]
    private sealed class MultiCas;

    [OneInstancePerCluster, VersionedLeader(Leader = "eu")]
    private sealed class MultiLeader;

    [GlobalSingleInstance, OneInstancePerCluster]
    private sealed class SingleAndMulti;

    [OneInstancePerCluster, BatchedCas, VersionedLeader]
    private sealed class CasAndLeader;

    [VersionedLeader]
    private sealed class LeaderAlone;

    [GlobalSingleInstance, VersionedLeader]
    private sealed class SingleLeader;

    [OneInstancePerCluster, VersionedLeader(Leader = "e u")]
    private sealed class BadLeader;
}
