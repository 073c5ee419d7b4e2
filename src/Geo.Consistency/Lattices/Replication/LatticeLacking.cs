namespace Geo.Consistency.Lattices;

/// <summary>
/// The grains of which a replica has put something aside, as it tells the others: no more than a few by name, then none can be told from
/// the others.
/// </summary>
internal sealed class LatticeLacking
{
    private const byte TooMany = 255;
    private const int Most = 32;

    private readonly HashSet<string> _names;
    private bool _isAny;

    internal LatticeLacking(IEnumerable<string>? names = null, bool isAny = false, long version = 0) =>
        (_names, _isAny, Version) = ([.. names ?? []], isAny, version);

    /// <summary>Counts the changes in a replica's life.</summary>
    internal long Version { get; private set; }

    /// <summary>Something of a grain is missing, or of any of a class that the silo does not have.</summary>
    internal void Add(string name)
    {
        if (!_isAny && _names.Add(name))
        {
            Version++;
            if (_names.Count > Most)
            {
                AddAny();
            }
        }
    }

    /// <summary>Something is missing of these, and of no other.</summary>
    internal void Set(IEnumerable<string> names, bool isAny)
    {
        _names.Clear();
        _names.UnionWith(isAny ? [] : names);
        (_isAny, Version) = (isAny, Version + 1);
        if (_names.Count > Most)
        {
            AddAny();
        }
    }

    /// <summary>Something of any grain may be missing.</summary>
    internal void AddAny()
    {
        _names.Clear();
        (_isAny, Version) = (true, Version + 1);
    }

    /// <summary>True when something of a grain may be missing.</summary>
    internal bool Contains(GrainKey grain) =>
        _isAny || (_names.Count > 0 && (_names.Contains(grain.Type) || _names.Contains(grain.ToString())));

    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Version);
        to.Body.WriteByte(_isAny ? TooMany : (byte)_names.Count);
        foreach (var name in _names.Order(StringComparer.Ordinal))
        {
            to.Body.WriteText(name);
        }
    }

    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    internal static LatticeLacking Read(ref LatticeReader from)
    {
        var (version, count) = (from.ReadNumber(), from.Body.ReadByte());
        var names = new string[count == TooMany ? 0 : count <= Most ? count : throw LatticeReader.Damaged("names too many grains")];
        for (var i = 0; i < names.Length; i++)
        {
            names[i] = from.Body.ReadRequiredText();
        }

        return new(names, count == TooMany, version);
    }
}
