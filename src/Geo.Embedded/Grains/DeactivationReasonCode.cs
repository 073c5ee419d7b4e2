namespace Geo.Embedded;

/// <summary>Why a grain is deactivated.</summary>
public enum DeactivationReasonCode
{
    /// <summary>No reason was given.</summary>
    None,

    /// <summary>The silo stops.</summary>
    ShuttingDown,

    /// <summary>The grain could not be activated.</summary>
    ActivationFailed,

    /// <summary>No call came for the time that the options allow.</summary>
    ActivationIdle,

    /// <summary>Another cluster owns the grain: this instance was a duplicate (GEO section 3.1, optimistic activation).</summary>
    DuplicateActivation,

    /// <summary>
    /// The grain's state in memory cannot be trusted any more, after a write that conflicted or whose outcome is unknown.
    /// </summary>
    ApplicationError,

    /// <summary>The grain asked for it by <c>DeactivateOnIdle</c>.</summary>
    ApplicationRequested,
}
