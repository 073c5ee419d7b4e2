using System.Collections.Concurrent;

namespace Geo.Experiments.Orleans;

/// <summary>The schedulers of this silo's actors: what is started there runs as the actor's turns.</summary>
internal sealed class ActorTurns
{
    public ConcurrentDictionary<long, TaskScheduler> Of { get; } = [];
}
