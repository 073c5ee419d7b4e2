using System.Diagnostics.CodeAnalysis;

namespace Geo.Storage.Quorum;

/// <summary>Something about each of the keys that were used last.</summary>
internal sealed class RecentKeys<T>(int most)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, LinkedListNode<(string Key, T About)>> _byKey = new(StringComparer.Ordinal);
    private readonly LinkedList<(string Key, T About)> _inOrder = new();

    /// <summary>Takes what is known of a key, and forgets it.</summary>
    public bool TryTake(string key, [MaybeNullWhen(false)] out T about)
    {
        lock (_gate)
        {
            if (!_byKey.Remove(key, out var node))
            {
                about = default;
                return false;
            }

            _inOrder.Remove(node);
            about = node.Value.About;
            return true;
        }
    }

    public bool TryGet(string key, [MaybeNullWhen(false)] out T about)
    {
        lock (_gate)
        {
            var isThere = _byKey.TryGetValue(key, out var node);
            about = isThere ? node!.Value.About : default;
            return isThere;
        }
    }

    public void Put(string key, T about)
    {
        lock (_gate)
        {
            if (_byKey.Remove(key, out var old))
            {
                _inOrder.Remove(old);
            }

            _byKey[key] = _inOrder.AddLast((key, about));
            if (_byKey.Count > most)
            {
                _byKey.Remove(_inOrder.First!.Value.Key);
                _inOrder.RemoveFirst();
            }
        }
    }
}
