namespace Geo.Consistency.Lattices;

/// <summary>
/// Writes the binary form of lattices. Sources are written once, in a table, and stand in the body as indices of mostly one byte.
/// </summary>
public sealed class LatticeWriter
{
    private readonly Dictionary<ReplicaId, int> _indices = [];
    private readonly List<ReplicaId> _sources = [];

    /// <summary>Where all but sources is written.</summary>
    public PayloadWriter Body { get; } = new();

    internal IReadOnlyList<ReplicaId> Sources => _sources;

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
