namespace Geo.Consistency.Lattices;

/// <summary>
/// Writes the cells of a frame or a page: each class once, and each cell's content with its length, so that one can be passed over.
/// </summary>
/// <param name="to">Where to.</param>
/// <param name="failed">Told of a cell that cannot be written; receivers are told that it is lacking.</param>
internal sealed class CellWriter(LatticeWriter to, Action<LatticeCell, Exception> failed)
{
    private readonly Dictionary<(string Type, uint TypeCode), int> _classes = [];
    private readonly LatticeWriter _content = to.Part();

    internal int Length => to.Body.Written.Length;

    /// <summary>Writes a whole cell.</summary>
    internal void WriteState(LatticeCell cell, ReplicaId self) => Write(cell, cell.Seen(self), CellContent.State, cell.WriteState);

    /// <summary>Writes the updates made here after a number, as a state, with all that is in it, where that stands for them.</summary>
    internal void WriteDelta(LatticeCell cell, ReplicaId self, long after)
    {
        if (cell.IsWholeAfter(after) && !LatticeRules.IsOff(LatticeRule.WholeTells))
        {
            WriteState(cell, self);
        }
        else
        {
            Write(cell, VectorClock.Of(self, cell.Own), CellContent.Delta, to => cell.WriteDelta(after, to));
        }
    }

    /// <summary>Says that updates of a grain are lacking here.</summary>
    internal void WriteLacking(GrainKey grain, VectorClock missing)
    {
        _content.Body.Reset();
        Write(grain.Type, 0, grain.Key, missing, CellContent.Lacking);
    }

    private void Write(LatticeCell cell, VectorClock seen, CellContent kind, Action<LatticeWriter> content)
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
            kind = CellContent.Missing;
            _content.Body.Reset();
        }

        Write(cell.Class.Name, cell.Class.TypeCode, cell.Key.Key, seen, kind);
    }

    private void Write(string type, uint typeCode, string key, VectorClock seen, CellContent kind)
    {
        var isNew = !_classes.TryGetValue((type, typeCode), out var index);
        index = isNew ? _classes.Count : index;
        to.Body.WriteUnsigned(((ulong)index << 2) | (ulong)kind);
        if (isNew)
        {
            _classes.Add((type, typeCode), index);
            to.Body.WriteText(type);
            to.Body.WriteUnsigned(typeCode);
        }

        to.Body.WriteText(key);
        seen.Write(to);
        to.Body.WriteBytes(_content.Body.Written.Span);
    }
}
