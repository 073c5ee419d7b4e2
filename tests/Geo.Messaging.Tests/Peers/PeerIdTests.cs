namespace Geo.Messaging.Tests;

public sealed class PeerIdTests
{
    [Fact]
    public void Peers_are_ordered_by_their_names()
    {
        Assert.True(new PeerId("eu/1") < new PeerId("us/1"));
        Assert.True(new PeerId("us/2") >= new PeerId("us/10"));
        Assert.True(default(PeerId).IsNone);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("ä")]
    public void A_name_with_other_characters_is_refused(string name) => Assert.Throws<ArgumentException>(() => new PeerId(name));
}
