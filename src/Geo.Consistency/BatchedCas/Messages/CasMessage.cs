namespace Geo.Consistency;

/// <summary>What a message between the instances of a persistent grain is.</summary>
internal enum CasMessage : byte
{
    /// <summary>A version was written.</summary>
    Notification = 1,

    /// <summary>Updates that the receiver is asked to write with its own.</summary>
    HandIn = 2,

    /// <summary>The latest version is wanted.</summary>
    Refresh = 3,
}
