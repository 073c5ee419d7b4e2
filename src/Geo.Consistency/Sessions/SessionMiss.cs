namespace Geo.Consistency;

/// <summary>What happens where a view does not show what a read or an update asks for.</summary>
public enum SessionMiss
{
    /// <summary>
    /// Waits until it does, because other clusters tell it, or its own updates get through; where age is asked for, as Forward.
    /// </summary>
    Wait,

    /// <summary>Asks who decides, the store or the leader, and then waits.</summary>
    Forward,

    /// <summary>Ends at once in a <see cref="GeoUnavailableException"/>.</summary>
    Throw,
}
