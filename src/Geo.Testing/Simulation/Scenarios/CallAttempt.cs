namespace Geo.Testing;

/// <summary>How a call ended that may fail.</summary>
/// <param name="End">The outcome.</param>
/// <param name="Exception">What the caller would have been thrown; null when it was answered.</param>
public sealed record CallAttempt(CallEnd End, Exception? Exception)
{
    /// <summary>How often the call surely had its effect: 1 when it was answered.</summary>
    public int Least => End == CallEnd.Answered ? 1 : 0;

    /// <summary>How often the call may have had its effect: 0 when it failed.</summary>
    public int Most => End == CallEnd.Failed ? 0 : 1;
}
