namespace Geo.Testing;

/// <summary>The way of messages from one cluster to another, where it differs from the rest of the network.</summary>
public sealed class SimulatedWay
{
    /// <summary>The shortest time that a message takes; the network's when null.</summary>
    public TimeSpan? MinDelay { get; set; }

    /// <summary>The longest time that a message takes; the network's when null.</summary>
    public TimeSpan? MaxDelay { get; set; }

    /// <summary>The part of messages that is lost, 0 to 1; the network's when null.</summary>
    public double? Loss { get; set; }

    internal bool IsHeld { get; set; }

    internal Queue<Action> Held { get; } = new();

    /// <summary>Sets both delays.</summary>
    public SimulatedWay Takes(TimeSpan delay)
    {
        (MinDelay, MaxDelay) = (delay, delay);
        return this;
    }

    internal void Reset() => (MinDelay, MaxDelay, Loss, IsHeld) = (null, null, null, false);
}
