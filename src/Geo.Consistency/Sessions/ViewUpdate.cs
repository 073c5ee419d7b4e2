namespace Geo.Consistency;

/// <summary>What one update asks for.</summary>
public sealed record ViewUpdate
{
    /// <summary>Queued here; other instances see it once it is confirmed.</summary>
    public static ViewUpdate Queued { get; } = new() { IsConfirmed = false };

    /// <summary>Part of a version when the call returns.</summary>
    public static ViewUpdate Confirmed { get; } = new();

    /// <summary>
    /// Part of a version, or refused: on the condition that no other instance's update comes before it that is not seen here yet.
    /// </summary>
    public static ViewUpdate Conditional { get; } = new() { IsConditional = true };

    /// <summary>True (the default) to wait until the update, and no later one, is part of a version.</summary>
    public bool IsConfirmed { get; init; } = true;

    /// <summary>True to refuse it where an update that is not seen here comes before it; false by default. It is waited for.</summary>
    public bool IsConditional { get; init; }

    /// <summary>
    /// Comes after everything that the session has read and written, wherever it is seen. Null (the default): that of the present call,
    /// where a host has one, else nothing.
    /// </summary>
    public SessionToken? Session { get; init; }

    /// <summary>
    /// What happens where that is not known here yet; <see cref="SessionMiss.Forward"/> by default.
    /// </summary>
    public SessionMiss OnMiss { get; init; } = SessionMiss.Forward;

    /// <summary>How long is waited then; 10 s by default, and never longer than the call that waits.</summary>
    public TimeSpan Wait { get; init; } = TimeSpan.FromSeconds(10);
}
