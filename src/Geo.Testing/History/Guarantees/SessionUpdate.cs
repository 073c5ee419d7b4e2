namespace Geo.Testing;

/// <summary>An update, and what its session knew of the object when it wrote it.</summary>
/// <param name="write">The call that wrote it.</param>
internal sealed class SessionUpdate(HistoryOperation<UpdateCall, SeenUpdates> write)
{
    public HistoryOperation<UpdateCall, SeenUpdates> Write { get; } = write;

    /// <summary>How many updates its session had written before.</summary>
    public int Own { get; set; }

    /// <summary>How many its session had seen.</summary>
    public int Known { get; set; }

    /// <summary>True when some read has seen it.</summary>
    public bool IsSeen { get; set; }

    /// <summary>The last look at reads that has come past it.</summary>
    public object? ShownIn { get; set; }

    /// <summary>How many updates came before it there.</summary>
    public int ShownAt { get; set; }

    public override string ToString() => $"{Write.Operation.Update}";
}
