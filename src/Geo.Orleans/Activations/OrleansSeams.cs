namespace Geo.Orleans;

/// <summary>What Orleans keeps to itself and Geo uses; a silo that does without some of it says so when it starts.</summary>
internal static class OrleansSeams
{
    /// <summary>The places that were not found, each with what happens in their stead.</summary>
    public static IEnumerable<(string Place, string Instead)> Missing(
        ActivationSeam? activations, ReaderSeam? readers, ReplicaSeam? replicas)
    {
        if (activations is null)
        {
            yield return ("the requests in messages, the table of activations, or where one has gone",
                "a call filter looks at the lease, and slows down the calls of all grains");
        }

        if (activations is null || readers is null)
        {
            yield return ("the requests that may interleave",
                "[ReadOnly] methods of journaled grains wait while another call waits for the journal");
        }

        if (replicas is null)
        {
            yield return ("the context of a grain under construction", "there are no read replicas, and their calls go to the instance");
        }
    }
}
