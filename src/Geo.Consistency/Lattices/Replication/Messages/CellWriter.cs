namespace Geo.Consistency.Lattices;

/// <summary>
/// Writes the cells of a frame or a page: each class once, and each cell's content with its length, so that one can be passed over.
/// </summary>
/// <param name="to">Where to.</param>
/// <param name="failed">Told of a cell that cannot be written, which is left out.</param>
internal sealed class CellWriter(LatticeWriter to, Action<LatticeCell, Exception> failed)
{
    private readonly Dictionary<LatticeClass, int> _classes = [];
    private readonly LatticeWriter _content = to.Part();

    internal int Length => to.Body.Written.Length;

    /// <summary>Writes one cell.</summary>
    /// <param name="cell">The cell.</param>
    /// <param name="seen">The last update of each source in the content.</param>
    /// <param name="content">Writes the content.</param>
    internal void Write(LatticeCell cell, VectorClock seen, Action<LatticeWriter> content)
    {
        _content.Body.Reset();
        try
        {
            content(_content);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Whatever a lattice of the application throws, the other grains' updates must go on.
            failed(cell, e);
            return;
        }

        if (!_classes.TryGetValue(cell.Class, out var index))
        {
            _classes.Add(cell.Class, index = _classes.Count);
            to.Body.WriteUnsigned((ulong)index);
            to.Body.WriteText(cell.Class.Name);
            to.Body.WriteUnsigned(cell.Class.TypeCode);
        }
        else
        {
            to.Body.WriteUnsigned((ulong)index);
        }

        to.Body.WriteText(cell.Key.Key);
        seen.Write(to);
        to.Body.WriteBytes(_content.Body.Written.Span);
    }
}
