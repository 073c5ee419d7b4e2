namespace Geo.Messaging.Tests;

public sealed class HandshakeTests
{
    private static readonly PeerIdentity Us = new(new PeerId("us/1"), new ClusterId("us"), "us/1", 42);

    private static readonly LanePlan Plan = new([new("default", 1), new("gossip", 2)]);

    [Fact]
    public void A_hello_is_read_back_as_it_was_written()
    {
        var hello = new Hello(new WireVersions(1, 3), Us, new ClusterId("eu"), 7, Plan, new LaneId("gossip", 1), 1 << 20);

        Assert.Equal(hello, Handshake.ReadHello(BodyOf(Handshake.Write(hello))));
    }

    [Fact]
    public void Both_answers_are_read_back_as_they_were_written()
    {
        HandshakeAnswer[] answers =
        [
            new Welcome(1, Us, 1 << 20),
            new Refusal(RefusalReason.DuplicateClusterId, "two clusters claim the id us", new PeerId("us/1")),
        ];

        Assert.All(answers, answer => Assert.Equal(answer, Handshake.ReadAnswer(BodyOf(Handshake.Write(answer)))));
    }

    [Fact]
    public void What_a_newer_version_adds_to_the_end_is_passed_over()
    {
        var hello = new Hello(new WireVersions(1, 9), Us, default, 7, Plan, Plan.Lanes[0], 1 << 20);
        byte[] longer = [.. BodyOf(Handshake.Write(hello)), 1, 2, 3];

        Assert.Equal(hello, Handshake.ReadHello(longer));
    }

    [Fact]
    public void Something_else_than_a_handshake_is_refused_before_anything_is_allocated_for_it()
    {
        var http = Assert.Throws<GeoSerializationException>(() => Handshake.ReadPreamble("GET / HT"u8));
        Assert.Contains("not a Geo handshake", http.Message, StringComparison.Ordinal);

        byte[] longBody = [.. "GEO\n"u8, 0xff, 0xff, 0xff, 0x7f];
        var tooLong = Assert.Throws<GeoSerializationException>(() => Handshake.ReadPreamble(longBody));
        Assert.Contains("at most 16384", tooLong.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 2, 2, 3, 2)]
    [InlineData(1, 1, 1, 1, 1)]
    [InlineData(1, 3, 2, 2, 2)]
    public void The_highest_common_version_is_chosen(int oldest, int newest, int otherOldest, int otherNewest, int common) =>
        Assert.Equal(common, new WireVersions(oldest, newest).Common(new WireVersions(otherOldest, otherNewest)));

    [Fact]
    public void Ranges_apart_have_no_common_version() => Assert.Null(new WireVersions(1, 2).Common(new WireVersions(3, 4)));

    [Theory]
    [InlineData("gossip", 2)]
    [InlineData("bulk", 0)]
    public void A_connection_that_its_link_does_not_have_is_refused(string channel, int lane)
    {
        var hello = new Hello(WireVersions.Current, Us, default, 7, Plan, new LaneId(channel, lane), 1 << 20);

        var error = Assert.Throws<GeoSerializationException>(() => Handshake.ReadHello(BodyOf(Handshake.Write(hello))));
        Assert.Contains($"{channel}/{lane}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_link_of_too_many_connections_is_refused()
    {
        var hello = new Hello(
            WireVersions.Current, Us, default, 7, new LanePlan([new("default", 200), new("gossip", 57)]), new LaneId("default", 0),
            1 << 20);

        var error = Assert.Throws<GeoSerializationException>(() => Handshake.ReadHello(BodyOf(Handshake.Write(hello))));
        Assert.Contains("more than 256 connections", error.Message, StringComparison.Ordinal);
    }

    private static byte[] BodyOf(byte[] handshake)
    {
        Assert.Equal(handshake.Length - Handshake.PreambleBytes, Handshake.ReadPreamble(handshake));
        return handshake[Handshake.PreambleBytes..];
    }
}
