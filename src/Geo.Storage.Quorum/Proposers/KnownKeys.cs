using System.Diagnostics.CodeAnalysis;

namespace Geo.Storage.Quorum;

/// <summary>The keys that this process wrote last, the most recent ones of them. Each is taken once, as a ballot is used once.</summary>
internal sealed class KnownKeys(int most)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, LinkedListNode<(string Key, Known Known)>> _byKey = new(StringComparer.Ordinal);
    private readonly LinkedList<(string Key, Known Known)> _byAge = new();

    /// <summary>Takes what is known of a key, and forgets it.</summary>
    public bool TryTake(string key, [NotNullWhen(true)] out Known? known)
    {
        lock (_gate)
        {
            if (!_byKey.Remove(key, out var node))
            {
                known = null;
                return false;
            }

            _byAge.Remove(node);
            known = node.Value.Known;
            return true;
        }
    }

    public void Put(string key, Known known)
    {
        lock (_gate)
        {
            if (_byKey.Remove(key, out var old))
            {
                _byAge.Remove(old);
            }

            _byKey[key] = _byAge.AddLast((key, known));
            if (_byKey.Count > most)
            {
                _byKey.Remove(_byAge.First!.Value.Key);
                _byAge.RemoveFirst();
            }
        }
    }
}
