using Geo.Consistency.Lattices;

namespace Geo.Consistency.Tests.Lattices.Replication;

public sealed class LatticePlacementTests
{
    private static readonly ClusterId[] Five = [.. "abcde".Select(c => new ClusterId($"{c}"))];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Each_part_is_in_as_many_clusters_as_the_class_says_and_each_cluster_has_its_share(int replicas)
    {
        var placement = Of(Five);
        var held = Parts(replicas).SelectMany(placement.HoldersOf).ToList();
        Assert.All(Parts(replicas), part => Assert.Equal(replicas, placement.HoldersOf(part).Distinct().Count()));
        Assert.All(Five, cluster => Assert.InRange(held.Count(c => c == cluster), 1, LatticeGroup.Parts * replicas * 2 / Five.Length));
        Assert.Equal(held.Count(c => c == Five[0]), Parts(replicas).Count(placement.IsHere));
    }

    [Fact]
    public void All_clusters_have_what_has_no_number_or_a_greater_one_than_there_are_clusters()
    {
        Assert.Equal(Five, Of(Five).HoldersOf(LatticeDomain.Ordered));
        Assert.All(Parts(6), part => Assert.Equal(Five, Of(Five).HoldersOf(part).Order()));
    }

    [Fact]
    public void A_cluster_more_or_less_changes_one_holder_of_a_part_at_most()
    {
        var (four, five) = (Of(Five[..4]), Of(Five));
        Assert.All(Parts(3), part => Assert.InRange(five.HoldersOf(part).Except(four.HoldersOf(part)).Count(), 0, 1));
        Assert.All(
            Parts(3),
            part => Assert.Empty(four.HoldersOf(part).Except([.. five.HoldersOf(part), .. five.MayVisit(part), Five[0]])));
    }

    [Fact]
    public void The_order_in_which_clusters_are_configured_does_not_matter_and_their_list_may_change()
    {
        var clusters = Five.ToList();
        var placement = new LatticePlacement(Five[0], () => clusters);
        Assert.All(Parts(2), part => Assert.Equal(Of([.. Enumerable.Reverse(Five)]).HoldersOf(part), placement.HoldersOf(part)));
        clusters.RemoveAt(4);
        Assert.All(Parts(2), part => Assert.Equal(Of(Five[..4]).HoldersOf(part), placement.HoldersOf(part)));
    }

    [Fact]
    public void Grains_fall_to_all_parts()
    {
        var parts = Enumerable.Range(0, 32_000).CountBy(i => LatticeGroup.PartOf(new("cart", $"{i}"))).ToList();
        Assert.Equal(LatticeGroup.Parts, parts.Count);
        Assert.All(parts, part => Assert.InRange(part.Value, 800, 1200));
    }

    private static LatticePlacement Of(ClusterId[] clusters) => new(Five[0], () => clusters);

    private static IEnumerable<LatticeGroup> Parts(int replicas) =>
        Enumerable.Range(0, LatticeGroup.Parts).Select(part => new LatticeGroup(LatticeDomain.Free, replicas, part));
}
