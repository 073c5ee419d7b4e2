namespace Geo.Embedded;

/// <summary>A call that is being executed, as the calls made during it see it.</summary>
/// <param name="chain">The calls that led here, this one included.</param>
/// <param name="chainDueAt">When the first of them gives up.</param>
internal sealed class CallFrame(CallChain chain, long chainDueAt)
{
    private volatile bool _hasEnded;

    /// <summary>The calls that led here, the innermost first.</summary>
    public CallChain Chain { get; } = chain;

    /// <summary>When the first of these calls gives up.</summary>
    public long ChainDueAt { get; } = chainDueAt;

    /// <summary>True when the call is over; what it left running in the background is no part of its chain.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>The call is over.</summary>
    public void End() => _hasEnded = true;
}
