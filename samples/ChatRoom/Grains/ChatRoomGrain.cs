// GEO, Figure 6, on Orleans: what the room is made of, and the room. In one file, as in the paper.
using Geo;
using Orleans.EventSourcing;

namespace ChatRoomSample.Grains;

/// <summary>What a room knows.</summary>
[GenerateSerializer]
public sealed class ChatState
{
    [Id(0)]
    public List<string> Messages { get; set; } = [];

    public void Apply(MessagePosted posted) => Messages.Add(posted.Content);
}

/// <summary>What happens in a room.</summary>
[GenerateSerializer]
public sealed record MessagePosted([property: Id(0)] string Content);

/// <summary>
/// A room, with an instance in each region that uses it. With <c>[GlobalSingleInstance]</c> there would be one in the world, and no other
/// line would change.
/// </summary>
[OneInstancePerCluster]
[BatchedCas]
public sealed class ChatRoomGrain : JournaledGrain<ChatState, MessagePosted>, IChatRoom
{
    public async Task<bool> Post(string user, string message)
    {
        if (!await GrainFactory.GetGrain<IUser>(user).MayPost())
        {
            return false;
        }

        RaiseEvent(new MessagePosted($"{user}: {message}"));    // Local: returns before it is stored.
        return true;
    }

    public Task<IReadOnlyList<string>> Read() => Task.FromResult<IReadOnlyList<string>>([.. TentativeState.Messages]);

    public async Task<IReadOnlyList<string>> ReadLatest()
    {
        await ConfirmEvents();                                  // Linearizable: what was posted here is stored,
        await RefreshNow();                                     // and what others had stored before is seen.
        return [.. State.Messages];
    }
}
