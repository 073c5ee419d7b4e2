namespace Geo.Consistency.Lattices;

/// <summary>What a frame or page has of a cell.</summary>
internal enum CellContent : byte
{
    /// <summary>The updates of its sender that are lacking.</summary>
    Delta,

    /// <summary>The whole state.</summary>
    State,

    /// <summary>Nothing: it could not be written, and is lacking from now on.</summary>
    Missing,

    /// <summary>Nothing: its sender has put it aside itself; it is lacking until another one gives it.</summary>
    Lacking,
}
