namespace Geo.Directory;

/// <summary>Where a call is that has to find the instance of its grain.</summary>
internal enum CallStage : byte
{
    /// <summary>The directory is asked.</summary>
    Looking,

    /// <summary>With the instance in this cluster, or with the one that begins for it.</summary>
    Here,

    /// <summary>On its way to another cluster.</summary>
    Carried,

    /// <summary>Over.</summary>
    Ended,
}
