namespace Geo.Embedded;

/// <summary>Finds a call's grain.</summary>
internal interface ICallRouter
{
    /// <summary>Finds the call's grain anew, because the activation that it waited for has ended.</summary>
    void Reroute(GrainCall call, string why);

    /// <summary>Takes a call to the cluster that its grain is in.</summary>
    void Forward(GrainCall call, ClusterId cluster);
}
