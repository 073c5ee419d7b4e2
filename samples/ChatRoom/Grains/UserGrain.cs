using Geo;

namespace ChatRoomSample.Grains;

/// <summary>A user: one instance in the world, in the region where it was first asked for (GEO, Figure 1).</summary>
[GlobalSingleInstance]
public sealed class UserGrain : Grain, IUser
{
    private bool _banned;

    public Task<bool> MayPost() => Task.FromResult(!_banned);

    public Task Ban()
    {
        _banned = true;
        return Task.CompletedTask;
    }
}
