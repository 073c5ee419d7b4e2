namespace Geo.Messaging.Tests;

public sealed class PeerAccountsTests
{
    private static readonly MessagingOptions Options = new() { Peer = new PeerId("eu/1") };

    [Fact]
    public void A_peer_that_comes_back_finds_counted_what_its_last_link_has_left_behind_and_nobody_else_does()
    {
        var node = Nodes.Of(Options);
        var terms = new LinkTerms(1, new LanePlan([new("default", 1)]), 1, 1024, 1024);
        var silo = new PeerIdentity(new PeerId("us/1"), new ClusterId("us"), "us", 1);
        var link = new LinkContext(node, silo, terms);
        Assert.True(link.Account.Handlers.TryEnter());
        Assert.True(link.Account.Large.TryTake(Options.MaxLargeBytes / 2));

        var next = new LinkContext(node, silo with { Incarnation = 2 }, terms);
        var namesake = new LinkContext(node, silo with { Cluster = default }, terms);

        Assert.Equal(1, next.Account.Handlers.Count);
        Assert.False(next.Account.Large.TryTake(1));
        Assert.Equal(0, namesake.Account.Handlers.Count);
        Assert.True(namesake.Account.Large.TryTake(Options.MaxLargeBytes / 4));
        GC.KeepAlive(link);
    }
}
