namespace Geo.Consistency;

/// <summary>What one read asks for.</summary>
public sealed record ViewRead
{
    /// <summary>The last version known here.</summary>
    public static ViewRead Confirmed { get; } = new();

    /// <summary>The last version known here with the instance's own unconfirmed updates on top.</summary>
    public static ViewRead Tentative { get; } = new() { Level = ReadLevel.Tentative };

    /// <summary>A version that was the latest at some moment after the call.</summary>
    public static ViewRead Linearizable { get; } = new() { Level = ReadLevel.Linearizable };

    /// <summary>Which state; <see cref="ReadLevel.Confirmed"/> by default.</summary>
    public ReadLevel Level { get; init; }

    /// <summary>
    /// Everything is seen that was confirmed so long before the call; null (the default) for no such bound. By the clock of the instance
    /// that reads, which no other clock is compared with.
    /// </summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>
    /// Everything is seen that the session has read and written. Null (the default): that of the present call, where a host has one, else
    /// nothing.
    /// </summary>
    public SessionToken? Session { get; init; }

    /// <summary>What happens where that is not known here yet; <see cref="SessionMiss.Forward"/> by default.</summary>
    public SessionMiss OnMiss { get; init; } = SessionMiss.Forward;

    /// <summary>How long is waited then; 10 s by default, and never longer than the call that waits.</summary>
    public TimeSpan Wait { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>True where nothing can have to be waited for.</summary>
    internal bool IsLocal => Level != ReadLevel.Linearizable && MaxAge is null && Session is null or { IsNone: true };

    /// <summary>A read that sees everything that was confirmed so long ago.</summary>
    public static ViewRead NoOlderThan(TimeSpan age) => new() { MaxAge = age };

    /// <summary>A read that sees everything that a session has read and written.</summary>
    public static ViewRead AtLeast(SessionToken session) => new() { Session = session };
}
