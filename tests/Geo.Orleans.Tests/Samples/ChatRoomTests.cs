using ChatRoomSample;

namespace Geo.Orleans.Tests.Samples;

public sealed class ChatRoomTests
{
    [Fact]
    public async Task The_chat_room_ends_with_all_messages_in_one_order_in_both_regions()
    {
        var output = new StringWriter();

        var conversation = new Conversation(output);
        var isSame = await conversation.RunAsync();

        Assert.True(isSame, output.ToString());
        Assert.Contains("ann may not post", output.ToString(), StringComparison.Ordinal);

        // What it says of latencies: a user's first post waits for the other region, those after it do not, and so go on through the cut.
        foreach (var posts in conversation.Posts)
        {
            Assert.InRange(posts.First(), Conversation.RoundTrip, TimeSpan.MaxValue);
            Assert.InRange(posts.Skip(1).Min(), TimeSpan.Zero, Conversation.RoundTrip);
        }
    }
}
