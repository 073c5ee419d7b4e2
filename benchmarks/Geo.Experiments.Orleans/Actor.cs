using Orleans.Placement;

namespace Geo.Experiments.Orleans;

[PreferLocalPlacement]
internal sealed class Actor(ActorTurns turns) : Grain, IActor
{
    public Task AppearAsync()
    {
        turns.Of[this.GetPrimaryKeyLong()] = TaskScheduler.Current;
        return Task.CompletedTask;
    }
}
