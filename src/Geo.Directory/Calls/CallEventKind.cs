namespace Geo.Directory;

/// <summary>What can happen to a call that is on its way.</summary>
internal enum CallEventKind
{
    /// <summary>While looking: the directory says that the instance is in this cluster.</summary>
    FoundHere,

    /// <summary>
    /// While looking: the directory says that it is in another cluster. Or while here: the instance that began for the call did not acquire
    /// the grain, which is in another cluster; the call did not run.
    /// </summary>
    FoundElsewhere,

    /// <summary>While looking: this cluster knows of no instance.</summary>
    FoundNowhere,

    /// <summary>While looking: the directory does not answer.</summary>
    NotFound,

    /// <summary>While here or carried: the grain answered, with a value or an exception.</summary>
    Answered,

    /// <summary>While here: the instance ended before it came to the call, and served none either.</summary>
    InstanceEnded,

    /// <summary>While here: the instance ended before it came to the call, but had served others: looking again gets somewhere.</summary>
    InstanceEndedLater,

    /// <summary>While carried: the instance is not in that cluster; the call did not run.</summary>
    NotThere,

    /// <summary>While carried: the call certainly did not run, and what that cluster has is not waited for any longer.</summary>
    GivenUp,

    /// <summary>
    /// While carried: there is no way to that cluster, so that the call certainly did not run; nor could it say that the instance has left.
    /// </summary>
    OutOfReach,

    /// <summary>While carried: the call certainly did not run.</summary>
    Refused,

    /// <summary>While here or carried: the answer did not come; the call may have run, or may still.</summary>
    Unknown,

    /// <summary>At any time: its time is over, or its caller has given up.</summary>
    Expired,
}
