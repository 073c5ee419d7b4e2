using System.Runtime.InteropServices;

namespace Geo.Testing;

/// <summary>
/// The configurations that a search has visited: which operations have their place, and the state behind them. A configuration that has
/// come as far with the same state, and has used up no more than another, can do whatever the other can.
/// </summary>
/// <param name="closedWords">How many words say which operations have their place although they return later.</param>
/// <param name="usedWords">How many words say what is used up: which time-outs have taken effect, and so on.</param>
internal sealed class ConfigurationMemory<TState>(int closedWords, int usedWords)
    where TState : notnull
{
    private readonly List<ulong> _words = [];
    private readonly List<Visit> _visits = [];
    private Dictionary<Configuration, int>? _latest;

    /// <returns>False when the configuration, or one that can do as much, is there already.</returns>
    public bool Add(int firstReturn, ReadOnlySpan<ulong> closed, ReadOnlySpan<ulong> used, int spent, TState state)
    {
        _latest ??= new Dictionary<Configuration, int>(new ByContent(this));
        var at = _words.Count;
        _words.AddRange(closed);
        ref var latest = ref CollectionsMarshal.GetValueRefOrAddDefault(_latest, new(firstReturn, at, state), out var exists);
        if (exists)
        {
            CollectionsMarshal.SetCount(_words, at);
            if (usedWords == 0)
            {
                return false;
            }

            for (var visit = latest; visit >= 0; visit = _visits[visit].Earlier)
            {
                if (_visits[visit].Spent <= spent && BitWords.IsWithin(Words(_visits[visit].Used, usedWords), used))
                {
                    return false;
                }
            }
        }

        if (usedWords > 0)
        {
            _visits.Add(new(_words.Count, spent, exists ? latest : -1));
            latest = _visits.Count - 1;
            _words.AddRange(used);
        }

        return true;
    }

    private ReadOnlySpan<ulong> Words(int at, int count) => CollectionsMarshal.AsSpan(_words).Slice(at, count);

    private readonly record struct Configuration(int FirstReturn, int Closed, TState State);

    /// <summary>The time-outs that a visit had used up, and how many since the first return became the first.</summary>
    private readonly record struct Visit(int Used, int Spent, int Earlier);

    private sealed class ByContent(ConfigurationMemory<TState> memory) : IEqualityComparer<Configuration>
    {
        public bool Equals(Configuration x, Configuration y) =>
            x.FirstReturn == y.FirstReturn && Closed(x).SequenceEqual(Closed(y))
            && EqualityComparer<TState>.Default.Equals(x.State, y.State);

        public int GetHashCode(Configuration configuration)
        {
            var hash = StableHash.Mix((uint)configuration.FirstReturn);
            foreach (var word in Closed(configuration))
            {
                hash = StableHash.Mix(hash ^ word);
            }

            return HashCode.Combine(hash, configuration.State);
        }

        private ReadOnlySpan<ulong> Closed(Configuration configuration) => memory.Words(configuration.Closed, memory.ClosedWords);
    }

    private int ClosedWords => closedWords;
}
