namespace Geo.Testing;

/// <summary>What a reader saw: how many updates, and a hash of which ones in which order.</summary>
internal readonly record struct LogPrefix(int Count, ulong Hash)
{
    public static LogPrefix Of(IReadOnlyList<int> updates, int count)
    {
        var prefix = default(LogPrefix);
        for (var i = 0; i < count; i++)
        {
            prefix = prefix.Then(updates[i]);
        }

        return prefix;
    }

    public LogPrefix Then(int update) => new(Count + 1, StableHash.Mix(Hash + (ulong)update));
}
