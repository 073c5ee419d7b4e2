// A chat room in two regions, both in this process: GEO's Figure 6 on Orleans.
using ChatRoomSample;

return await new Conversation(Console.Out).RunAsync() ? 0 : 1;
