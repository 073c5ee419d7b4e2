namespace Geo.Embedded;

/// <summary>Something that a grain does in turn: a call or the tick of a timer.</summary>
internal interface ITurn
{
    /// <summary>False when nobody wants it any more; it has then been ended and need not be done.</summary>
    bool IsWanted();

    /// <summary>Does it. Never throws.</summary>
    ValueTask RunAsync(object grain);
}
