namespace Geo.Embedded;

/// <summary>
/// Something that a grain does in turn: a call or the tick of a timer. Its place among the turns of its activation is kept in it, so that
/// it can be taken out at once.
/// </summary>
internal abstract class Turn : Deadline
{
    /// <summary>Where a turn is in its life at an activation.</summary>
    internal enum Stage : byte
    {
        None,
        Waiting,
        Running,
    }

    /// <summary>The activation at which it waits, runs or ran last.</summary>
    public Activation? At { get; internal set; }

    /// <summary>When the first of the calls that it is part of gives up; never for what nobody called.</summary>
    public virtual long ChainDueAt { get; protected set; } = long.MaxValue;

    /// <summary>How it goes with other turns there.</summary>
    internal TurnQueue.Kind Kind { get; set; }

    internal Stage Present { get; set; }

    internal long Arrival { get; set; }

    internal Turn? Before { get; set; }

    internal Turn? After { get; set; }

    /// <summary>In how many waits for the grain's view it is.</summary>
    internal int ViewWaits { get; set; }

    /// <summary>True when it started because another turn waited for the view.</summary>
    internal bool WasLetIn { get; set; }

    /// <summary>False when nobody wants it any more; it has then been ended and need not be done.</summary>
    public abstract bool IsWanted();

    /// <summary>It cannot be done, for the silo has no lease.</summary>
    public abstract void Unserved(GrainKey grain);

    /// <summary>Does it. Never throws.</summary>
    public abstract ValueTask RunAsync(object grain);
}
