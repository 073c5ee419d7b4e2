namespace Geo.Directory;

/// <summary>A row as it was read or written: the entry, and the version that the next write must find.</summary>
internal readonly record struct Row
{
    private readonly GsiEntry? _entry;

    public Row(GsiEntry entry, ETag? etag) => (_entry, ETag) = (entry, etag);

    /// <summary>The default: there is no row.</summary>
    public static Row None => default;

    /// <summary>The entry; <see cref="GsiEntry.Invalid"/> when there is no row.</summary>
    public GsiEntry Entry => _entry ?? GsiEntry.Invalid;

    /// <summary>The row's version; null when there is no row.</summary>
    public ETag? ETag { get; }
}
