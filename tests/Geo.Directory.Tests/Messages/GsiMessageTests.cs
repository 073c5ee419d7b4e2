namespace Geo.Directory.Tests;

public sealed class GsiMessageTests
{
    private static readonly ClusterId From = new("eu");

    [Fact]
    public void Messages_and_replies_are_read_as_they_were_written()
    {
        var message = new GsiMessage(GsiMessageKind.Request, new GrainKey("cart", "a/b"), 42, HasInstance: true);
        var reply = GsiMessage.EncodeReply(42, new GsiAnswer(GsiEntry.Invalid, GsiReplyKind.InstanceAt, "eu/1", null));

        Assert.Equal(message, GsiMessage.Decode(message.Encode()));
        Assert.Equal(new GsiReply(From, 42, GsiReplyKind.InstanceAt, "eu/1"), GsiMessage.DecodeReply(From, reply));
    }

    [Fact]
    public void What_no_directory_sends_is_refused()
    {
        var message = new GsiMessage(GsiMessageKind.Request, new GrainKey("cart", "1"), 42).Encode();

        Assert.Equal(3, message[0]);
        Assert.Throws<GeoSerializationException>(() => GsiMessage.Decode([2, .. message.AsSpan(1)]));
        Assert.Throws<GeoSerializationException>(() => GsiMessage.Decode([9, .. message.AsSpan(1)]));
        Assert.Throws<GeoSerializationException>(() => GsiMessage.Decode([3, 9, .. message.AsSpan(2)]));
        Assert.Throws<GeoSerializationException>(() => GsiMessage.Decode(new GsiMessage(GsiMessageKind.Request, default, 1).Encode()));
        Assert.Throws<GeoSerializationException>(() => GsiMessage.Decode(message.AsSpan(0, message.Length - 1)));
        Assert.Throws<GeoSerializationException>(() => GsiMessage.DecodeReply(From, [3, 2, 9, 0, 0]));
    }
}
