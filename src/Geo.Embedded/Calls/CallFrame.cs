namespace Geo.Embedded;

/// <summary>A turn that is being executed, as the calls and waits made during it see it.</summary>
/// <param name="turn">The turn.</param>
/// <param name="chain">The calls that led here, this one included; null for the tick of a timer.</param>
internal sealed class CallFrame(Turn turn, CallChain? chain)
{
    private volatile bool _hasEnded;

    /// <summary>The turn.</summary>
    public Turn Turn { get; } = turn;

    /// <summary>The calls that led here, the innermost first.</summary>
    public CallChain? Chain { get; } = chain;

    /// <summary>True when the turn is over; what it left running in the background is no part of it.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>The turn is over.</summary>
    public void End() => _hasEnded = true;
}
