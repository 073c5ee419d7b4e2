using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// The read replicas of this silo: copies of grains whose instances are in other clusters, on which their read-only methods run.
/// </summary>
/// <param name="activations">The objects of the grains' classes, with the copies; no directory knows of them.</param>
/// <param name="options">The limits.</param>
internal sealed class ReadReplicas(ActivationTable activations, ReadReplicaOptions options)
{
    /// <summary>Has a call answered here, or refused because the copy is too old; false where it is to go to the instance.</summary>
    public bool TryRead(GrainCall call)
    {
        if (!activations.TryGet(call.Target, out var activation))
        {
            return false;
        }

        var (copy, refusal) = activation.Feed!.Look();
        if (copy is null)
        {
            return refusal is not null && call.TryFail(refusal);
        }

        call.Copy = copy;
        if (activation.TryAccept(call, TurnQueue.Kind.ReadOnly))
        {
            EmbeddedMetrics.ReplicaCalls.Add(1);
            return true;
        }

        call.Copy = null;
        return false;
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
