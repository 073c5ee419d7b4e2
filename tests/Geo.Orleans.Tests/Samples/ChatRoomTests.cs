using ChatRoomSample;

namespace Geo.Orleans.Tests.Samples;

public sealed class ChatRoomTests
{
    [Fact]
    public async Task The_chat_room_ends_with_all_messages_in_one_order_in_both_regions()
    {
        var output = new StringWriter();

        var isSame = await new Conversation(output).RunAsync();

        Assert.True(isSame, output.ToString());
        Assert.Contains("ann may not post", output.ToString(), StringComparison.Ordinal);
    }
}
