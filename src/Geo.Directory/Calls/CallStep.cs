namespace Geo.Directory;

/// <summary>What a host does next with a call.</summary>
internal enum CallStep
{
    /// <summary>Nothing: the call is over.</summary>
    None,

    /// <summary>Ask the directory. For a call that another cluster has sent: only what this cluster's rows say.</summary>
    LookUp,

    /// <summary>
    /// Ask the directory for more than what it remembers (<see cref="GlobalDirectory.FindAnewAsync"/>): the rows, and the other clusters.
    /// </summary>
    LookUpAnew,

    /// <summary>
    /// Hand the call to the instance in this cluster. If there is none, one begins, and acquires the grain before anything else.
    /// </summary>
    RunHere,

    /// <summary>Send the call to another cluster.</summary>
    Carry,

    /// <summary>End the call with the answer that has come.</summary>
    Answer,

    /// <summary>Tell the cluster that sent the call that the instance is not here.</summary>
    ReplyNotHere,

    /// <summary>
    /// End the call with a <see cref="GeoUnavailableException"/>: it certainly did not run, because the last event happened.
    /// </summary>
    Refuse,

    /// <summary>The same, because it has looked as often as it may.</summary>
    RefuseKeepsMoving,

    /// <summary>End the call with a <see cref="GeoOutcomeUnknownException"/>: it may have run.</summary>
    ReportUnknown,
}
