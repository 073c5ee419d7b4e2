namespace Geo.Embedded;

/// <summary>What becomes of a call that comes to an activation.</summary>
internal enum Acceptance : byte
{
    /// <summary>The instance is gone.</summary>
    Gone,

    /// <summary>Too many wait.</summary>
    TooManyWait,

    /// <summary>Too many run.</summary>
    TooManyRun,

    /// <summary>It has its turn, now or later.</summary>
    Taken,

    /// <summary>It is taken, but waits for the turn that called it.</summary>
    WaitsForItself,
}
