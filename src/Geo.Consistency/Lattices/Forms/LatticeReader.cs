namespace Geo.Consistency.Lattices;

/// <summary>Reads what <see cref="LatticeWriter"/> wrote. Counts and depths are checked before anything is allocated.</summary>
public ref struct LatticeReader
{
    /// <summary>Where all but sources is read.</summary>
#pragma warning disable CA1051 // A property would hand out a copy, which would be read in the reader's stead.
    public PayloadReader Body;
#pragma warning restore CA1051

    /// <summary>The time of the latest stamp that was read; 0 for none.</summary>
    internal ulong Latest;

    private readonly ReplicaId[] _sources;
    private int _depthLeft;

    internal LatticeReader(PayloadReader body, ReplicaId[] sources, int maxDepth)
    {
        Body = body;
        _sources = sources;
        _depthLeft = maxDepth;
    }

    /// <summary>A reader of a part that <see cref="LatticeWriter.Part"/> wrote.</summary>
    internal readonly LatticeReader Part(ReadOnlySpan<byte> body) => new(new PayloadReader(body), _sources, _depthLeft);

    /// <summary>Reads a lattice inside of this one.</summary>
    /// <exception cref="GeoSerializationException">It is damaged or too deep.</exception>
    public T Read<T>()
        where T : ILatticeForm<T>
    {
        if (_depthLeft-- == 0)
        {
            throw Damaged("lies deeper than LatticeLimits.MaxDepth allows");
        }

        var value = T.Read(ref this);
        _depthLeft++;
        return value;
    }

    /// <summary>Reads a source.</summary>
    /// <exception cref="GeoSerializationException">It is not in the table.</exception>
    public ReplicaId ReadSource()
    {
        var index = Body.ReadUnsigned();
        return index < (ulong)_sources.Length ? _sources[index] : throw Damaged("names a source that its table lacks");
    }

    /// <summary>Reads a dot.</summary>
    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    public Dot ReadDot() => new(ReadSource(), ReadNumber());

    /// <summary>Reads a number that is not negative.</summary>
    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    public long ReadNumber()
    {
        var number = Body.ReadUnsigned();
        return number <= long.MaxValue ? (long)number : throw Damaged("holds a number over 63 bits");
    }

    /// <summary>Reads a flag.</summary>
    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    public bool ReadFlag() => Body.ReadByte() switch
    {
        0 => false,
        1 => true,
        _ => throw Damaged("holds a flag that is neither 0 nor 1"),
    };

    internal static GeoSerializationException Damaged(string how) =>
        new($"A lattice's form {how}; it was damaged or another version wrote it.");
}
