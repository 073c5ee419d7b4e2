using System.Runtime.CompilerServices;

namespace Geo.Messaging.Tests;

public sealed class PeerAccountsTests
{
    private static readonly MessagingOptions Options = new() { Peer = new PeerId("eu/1") };

    private static readonly PeerIdentity Silo = new(new PeerId("us/1"), new ClusterId("us"), "us", 1);
    private static readonly LinkTerms Terms = new(1, new LanePlan([new("default", 1)]), 1, 1024, 1024);

    [Fact]
    public void A_peer_that_comes_back_finds_counted_what_its_last_link_has_left_behind_and_nobody_else_does()
    {
        var node = Nodes.Of(Options);
        var link = new LinkContext(node, Silo, Terms);
        Assert.True(link.Account.Handlers.TryEnter());
        Assert.True(link.Account.Large.TryTake(Options.MaxLargeBytes / 2));

        var next = new LinkContext(node, Silo with { Incarnation = 2 }, Terms);
        var namesake = new LinkContext(node, Silo with { Cluster = default }, Terms);

        Assert.Equal(1, next.Account.Handlers.Count);
        Assert.False(next.Account.Large.TryTake(1));
        Assert.Equal(0, namesake.Account.Handlers.Count);
        Assert.True(namesake.Account.Large.TryTake(Options.MaxLargeBytes / 4));
        GC.KeepAlive(link);
    }

    [Fact]
    public void What_a_handler_that_never_ends_has_taken_is_its_peers_although_nothing_is_left_of_its_link()
    {
        var node = Nodes.Of(Options);
        var link = LeaveBehind(node);
        Collect();
        Assert.False(link.IsAlive);

        var account = new LinkContext(node, Silo with { Incarnation = 2 }, Terms).Account;
        Assert.False(account.Large.TryTake(1));
        account.Large.Return(Options.MaxLargeBytes / 2);

        Assert.Equal(0, node.Accounts.Large.Held);
    }

    [Fact]
    public void Nothing_is_kept_of_a_peer_that_has_left_nothing_behind()
    {
        var node = Nodes.Of(Options);
        var account = ReturnAll(node);
        Collect();

        Assert.False(account.IsAlive);
    }

    // Not in the test, whose locals live on.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference LeaveBehind(NodeContext node)
    {
        var link = new LinkContext(node, Silo, Terms);
        Assert.True(link.Account.Large.TryTake(Options.MaxLargeBytes / 2));
        return new WeakReference(link);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ReturnAll(NodeContext node)
    {
        var account = new LinkContext(node, Silo, Terms).Account;
        Assert.True(account.Connections.TryTake(2));
        account.Connections.Return(2);
        return new WeakReference(account);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }
}
