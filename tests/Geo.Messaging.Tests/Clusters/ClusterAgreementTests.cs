namespace Geo.Messaging.Tests.Clusters;

public sealed class ClusterAgreementTests
{
    private static readonly ClusterId Us = new("us");
    private static readonly PeerId Silo = new("us/1");

    [Theory]
    [InlineData("00")]
    [InlineData("0111")]
    [InlineData("FFFFFFFF")]
    public void A_cluster_whose_word_this_version_cannot_read_is_told_to_be_of_another_one(string word)
    {
        var agreement = new ClusterAgreement(new("eu"), [Us]);

        var refusal = agreement.Refuse(Silo, Us, Convert.FromHexString(word));

        Assert.StartsWith("cluster 'eu' cannot read what cluster 'us' tells of its stores", refusal);
        Assert.EndsWith("; stop all silos and start them with one version", refusal);
    }

    [Fact]
    public void A_cluster_of_the_same_version_without_stores_is_not_refused() =>
        Assert.Null(new ClusterAgreement(new("eu"), [Us]).Refuse(Silo, Us, new ClusterAgreement(Us, null).Own.Span));
}
