namespace Geo.Consistency.Lattices;

/// <summary>Reads what <see cref="CellWriter"/> wrote.</summary>
internal ref struct CellReader(LatticeReader from)
{
    private readonly List<(string Name, ulong TypeCode)> _classes = [];
    private LatticeReader _from = from;

    /// <summary>The cell's grain type, as its sender names it, and key.</summary>
    internal GrainKey Key { get; private set; }

    /// <summary>The cell's lattice.</summary>
    internal ulong TypeCode { get; private set; }

    /// <summary>The last update of each source in the content.</summary>
    internal VectorClock Seen { get; private set; } = VectorClock.Bottom;

    /// <summary>What the content is.</summary>
    internal CellContent Kind { get; private set; }

    /// <summary>The content.</summary>
    internal LatticeReader Content { get; private set; }

    /// <summary>Reads the next cell; false when there is none.</summary>
    /// <exception cref="GeoSerializationException">The message is damaged; the content may be all the same when it is not.</exception>
    internal bool Next()
    {
        if (_from.Body.Rest.IsEmpty)
        {
            return false;
        }

        var head = _from.Body.ReadUnsigned();
        (var index, Kind) = (head >> 2, (CellContent)(head & 3));
        if (index == (ulong)_classes.Count)
        {
            _classes.Add((_from.Body.ReadRequiredText(), _from.Body.ReadUnsigned()));
        }
        else if (index > (ulong)_classes.Count)
        {
            throw LatticeReader.Damaged("names a class that it has not told");
        }

        (var name, TypeCode) = _classes[(int)index];
        Key = NewKey(name, _from.Body.ReadRequiredText());
        Seen = _from.Read<VectorClock>();
        Content = _from.Part(_from.Body.ReadBytes());
        return true;
    }

    private static GrainKey NewKey(string type, string key) => type.Length > 0 && !type.Contains('/', StringComparison.Ordinal)
        ? new(type, key)
        : throw LatticeReader.Damaged("names a grain type that there cannot be");
}
