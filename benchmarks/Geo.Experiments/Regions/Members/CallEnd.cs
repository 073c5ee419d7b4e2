namespace Geo.Experiments.Regions;

/// <summary>The outcomes of a call.</summary>
internal enum CallEnd
{
    /// <summary>It ran, and what it wrote is confirmed.</summary>
    Answered,

    /// <summary>It did not run.</summary>
    Refused,

    /// <summary>It may have run.</summary>
    Unknown,
}
