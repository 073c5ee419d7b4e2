namespace Geo.Orleans;

/// <summary>How a call that was carried to another cluster ended.</summary>
internal enum CarriedOutcome : byte
{
    /// <summary>The answer did not come: the call may have run, or may still.</summary>
    Unknown = 0,

    /// <summary>The grain answered, with a value or an exception.</summary>
    Answered = 1,

    /// <summary>The grain is not in that cluster; the call did not run.</summary>
    NotHere = 2,

    /// <summary>The call certainly did not run.</summary>
    Refused = 3,
}
