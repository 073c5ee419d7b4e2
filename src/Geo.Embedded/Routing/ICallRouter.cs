namespace Geo.Embedded;

/// <summary>Finds a call's grain.</summary>
internal interface ICallRouter
{
    /// <summary>Finds the call's grain anew, because the activation that it waited for has ended.</summary>
    /// <param name="call">The call.</param>
    /// <param name="why">Why, for people.</param>
    /// <param name="madeProgress">
    /// True when the activation had served calls before it ended: then looking again gets somewhere and does not count as an attempt.
    /// </param>
    void Reroute(GrainCall call, string why, bool madeProgress);

    /// <summary>Takes a call to the cluster that its grain is in.</summary>
    void Forward(GrainCall call, ClusterId cluster);
}
