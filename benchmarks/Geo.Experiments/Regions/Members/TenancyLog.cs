using System.Collections.Concurrent;

namespace Geo.Experiments.Regions;

/// <summary>When the instances of this process began calls, whatever became of those.</summary>
internal static class TenancyLog
{
    private static readonly ConcurrentDictionary<(string Key, long Epoch), (long First, long Last)> Began = new();

    public static void Note(string key, long epoch, long now) =>
        Began.AddOrUpdate((key, epoch), (now, now), (_, before) => (before.First, Math.Max(before.Last, now)));

    public static Tenancy[] ToArray() => [.. Began.Select(t => new Tenancy(t.Key.Key, t.Key.Epoch, t.Value.First, t.Value.Last))];
}
