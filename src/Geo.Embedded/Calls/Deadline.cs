namespace Geo.Embedded;

/// <summary>
/// Something that ends when its time is up, unless it is removed before. Part of a list of <see cref="Deadlines"/> while it waits.
/// </summary>
internal abstract class Deadline
{
    internal Deadline? Previous { get; set; }

    internal Deadline? Next { get; set; }

    internal int Slot { get; set; } = -1;

    /// <summary>When it ends, as a timestamp of the clock.</summary>
    public long DueAt { get; internal set; }

    /// <summary>The time is up. Called on any thread; must not throw or take long.</summary>
    public abstract void Expire();
}
