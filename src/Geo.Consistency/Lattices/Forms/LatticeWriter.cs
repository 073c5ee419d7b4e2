namespace Geo.Consistency.Lattices;

/// <summary>
/// Writes the binary form of lattices. Sources are written once, in a table, and stand in the body as indices of mostly one byte.
/// </summary>
public sealed class LatticeWriter
{
    private readonly Dictionary<ReplicaId, int> _indices;
    private readonly List<ReplicaId> _sources;

    /// <summary>Begins a form with a table of its own.</summary>
    public LatticeWriter()
        : this([], [])
    {
    }

    private LatticeWriter(Dictionary<ReplicaId, int> indices, List<ReplicaId> sources) => (_indices, _sources) = (indices, sources);

    /// <summary>Where all but sources is written.</summary>
    public PayloadWriter Body { get; } = new();

    internal IReadOnlyList<ReplicaId> Sources => _sources;

    /// <summary>A writer of a part, which has a body of its own and shares the table.</summary>
    internal LatticeWriter Part() => new(_indices, _sources);

    /// <summary>Writes what a part has written.</summary>
    internal void Append(LatticeWriter part)
    {
        var written = part.Body.Written.Span;
        written.CopyTo(Body.GetSpan(written.Length));
        Body.Advance(written.Length);
    }

    /// <summary>Writes a source.</summary>
    public void WriteSource(ReplicaId source)
    {
        if (!_indices.TryGetValue(source, out var index))
        {
            _indices.Add(source, index = _sources.Count);
            _sources.Add(source);
        }

        Body.WriteUnsigned((ulong)index);
    }

    /// <summary>Writes a dot.</summary>
    public void WriteDot(Dot dot)
    {
        WriteSource(dot.Source);
        Body.WriteUnsigned((ulong)dot.Number);
    }
}
