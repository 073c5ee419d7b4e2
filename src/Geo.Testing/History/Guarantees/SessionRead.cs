namespace Geo.Testing;

/// <summary>A read that returned, and what its session knew of the object when it called.</summary>
/// <param name="read">The call.</param>
internal sealed class SessionRead(HistoryOperation<UpdateCall, SeenUpdates> read)
{
    public HistoryOperation<UpdateCall, SeenUpdates> Read { get; } = read;

    public IReadOnlyList<long> Updates => Read.Result!.Updates;

    /// <summary>How many updates its session had written before.</summary>
    public int Own { get; init; }

    /// <summary>How many its session had seen.</summary>
    public int Known { get; init; }
}
