using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// The read replicas of this silo: copies of grains whose instances are in other clusters, on which their read-only methods run.
/// </summary>
/// <param name="activations">The objects of the grains' classes, with the copies; no directory knows of them.</param>
/// <param name="options">The limits.</param>
/// <param name="time">Both clocks.</param>
internal sealed class ReadReplicas(ActivationTable activations, ReadReplicaOptions options, TimeProvider time)
{
    /// <summary>Has a call answered here, or refused because the copy is too old; false where it is to go to the instance.</summary>
    public bool TryRead(GrainCall call)
    {
        if (!activations.TryGet(call.Target, out var activation))
        {
            return false;
        }

        var feed = activation.Feed!;
        feed.Used();
        if (feed.Copy is not { } copy)
        {
            return false;
        }

        if (copy.IsFresh(time))
        {
            call.Copy = copy;
            if (activation.TryAccept(call, TurnQueue.Kind.ReadOnly))
            {
                EmbeddedMetrics.ReplicaCalls.Add(1);
                return true;
            }

            call.Copy = null;
            return false;
        }

        ConsistencyMetrics.ReadReplicaMisses.Add(1);
        return feed.OnStale == StaleRead.Throw && call.TryFail(feed.Stale());
    }

    /// <summary>Begins to keep a copy of a grain that is in another cluster, where there is room.</summary>
    public void Begin(GrainKey key, GrainClass replica)
    {
        if (activations.Count < options.MaxReplicas)
        {
            activations.GetOrBegin(key, replica);
        }
    }
}
