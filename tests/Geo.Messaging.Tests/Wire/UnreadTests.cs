namespace Geo.Messaging.Tests;

public class UnreadTests
{
    [Fact]
    public async Task A_connection_tells_whether_the_kernel_holds_what_nobody_has_received()
    {
        using var listener = SocketTransport.Instance.Listen(new PeerAddress("127.0.0.1", 0));
        var accepting = listener.AcceptAsync(Net.Token);
        using var sender = await SocketTransport.Instance.ConnectAsync(listener.Address, Net.Token);
        using var receiver = await accepting;
        Assert.False(receiver.HasUnread);

        await sender.SendAsync([new byte[3]]);
        await Eventually.HoldsAsync(() => receiver.HasUnread, "three bytes wait");
        Assert.Equal(3, await receiver.ReceiveAsync(new byte[8]));
        Assert.False(receiver.HasUnread);

        receiver.Dispose();
        Assert.False(receiver.HasUnread);
    }
}
