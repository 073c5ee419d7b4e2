namespace Geo.Abstractions.Tests.Identity;

public sealed class ClusterIdTests
{
    [Theory]
    [InlineData("us")]
    [InlineData("Eu-West_2.b")]
    [InlineData("0")]
    public void A_name_of_allowed_characters_is_kept(string name)
    {
        var id = new ClusterId(name);

        Assert.Equal(name, id.Name);
        Assert.Equal(name, id.ToString());
        Assert.False(id.IsNone);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("eu west")]
    [InlineData("a/b")]
    [InlineData("é")]
    [InlineData("a\0")]
    [InlineData("٣")]
    public void Any_other_name_is_refused_by_name(string name)
    {
        var refused = Assert.Throws<ArgumentException>(() => new ClusterId(name));

        Assert.Contains($"'{name}' is not a cluster id", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_name_may_have_63_characters_and_no_more()
    {
        Assert.Equal(63, new ClusterId(new string('a', 63)).Name.Length);
        Assert.Throws<ArgumentException>(() => new ClusterId(new string('a', 64)));
        Assert.Throws<ArgumentNullException>(() => new ClusterId(null!));
    }

    [Fact]
    public void The_default_names_no_cluster_and_comes_first()
    {
        ClusterId none = default;

        Assert.True(none.IsNone);
        Assert.Equal("", none.Name);
        Assert.True(none < new ClusterId("0"));
        Assert.Equal(none, default);
    }

    [Fact]
    public void The_precedence_order_is_total_and_that_of_the_names_characters()
    {
        ClusterId[] ordered = [new("-"), new("."), new("0"), new("A"), new("Z"), new("_"), new("a"), new("aa"), new("b")];
        for (var i = 0; i < ordered.Length; i++)
        {
            for (var j = 0; j < ordered.Length; j++)
            {
                Assert.Equal(i < j, ordered[i] < ordered[j]);
                Assert.Equal(i > j, ordered[i] > ordered[j]);
                Assert.Equal(i <= j, ordered[i] <= ordered[j]);
                Assert.Equal(i >= j, ordered[i] >= ordered[j]);
                Assert.Equal(i == j, ordered[i] == ordered[j]);
                Assert.Equal(i == j, ordered[i].CompareTo(ordered[j]) == 0);
            }
        }
    }

    [Fact]
    public void Equal_names_are_equal_clusters()
    {
        Assert.Equal(new ClusterId("us"), new ClusterId(new string(['u', 's'])));
        Assert.Equal(new ClusterId("us").GetHashCode(), new ClusterId(new string(['u', 's'])).GetHashCode());
        Assert.NotEqual(new ClusterId("us"), new ClusterId("US"));
    }
}
