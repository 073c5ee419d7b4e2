namespace Geo.Consistency;

/// <summary>What one who waits for a view asks for.</summary>
internal enum WaitKind : byte
{
    /// <summary>Every update up to a number is part of a version.</summary>
    Confirm,

    /// <summary>The update of a number is, whatever became of those before it.</summary>
    One,

    /// <summary>As <see cref="Confirm"/>, and the latest version is known.</summary>
    Refresh,

    /// <summary>The latest version is known, once nothing up to a number is queued any more; what became of it is not asked.</summary>
    Latest,
}
