namespace Geo.Embedded;

/// <summary>Something that a grain does in turn: a call or the tick of a timer.</summary>
internal interface ITurn
{
    /// <summary>True when it need not be done any more.</summary>
    bool IsCompleted { get; }

    /// <summary>Does it. Never throws.</summary>
    ValueTask RunAsync(object grain);
}
