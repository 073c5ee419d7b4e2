namespace Geo.Orleans;

/// <summary>The versions last seen, so that a write on one of them needs no read before it. At its limit all are forgotten.</summary>
internal sealed class KnownVersions(int limit)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, StoredVersion> _versions = new(StringComparer.Ordinal);

    /// <summary>The version of a key if it is the one expected; null where that is not known.</summary>
    public StoredVersion? Find(string key, ETag? expected)
    {
        lock (_lock)
        {
            return _versions.TryGetValue(key, out var version) && version.ETag == expected ? version : null;
        }
    }

    public void Set(string key, StoredVersion version)
    {
        lock (_lock)
        {
            if (_versions.Count >= limit && !_versions.ContainsKey(key))
            {
                _versions.Clear();
            }

            _versions[key] = version;
        }
    }

    public void Forget(string key)
    {
        lock (_lock)
        {
            _versions.Remove(key);
        }
    }
}
