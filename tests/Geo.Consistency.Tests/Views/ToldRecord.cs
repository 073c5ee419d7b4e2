namespace Geo.Consistency.Tests.Views;

/// <summary>What callers were told of updates, and whether it was so.</summary>
/// <param name="told">How often each end was told, over all runs.</param>
internal sealed class ToldRecord(Dictionary<string, int> told)
{
    private readonly Dictionary<string, string> _applied = [];
    private readonly Dictionary<string, string> _refused = [];

    internal void Applied(string update, string by)
    {
        Count("applied");
        _applied.TryAdd(update, by);
    }

    internal void Refused(string update, string by)
    {
        Count("refused");
        _refused.TryAdd(update, by);
    }

    internal void Count(string end) => told[end] = told.GetValueOrDefault(end) + 1;

    internal void Check(string run, string[] log)
    {
        Assert.True(log.Distinct().Count() == log.Length, $"{run}: one was applied twice: {string.Join(' ', log)}");
        var (missing, there) = (_applied.Keys.Except(log).ToList(), _refused.Keys.Intersect(log).ToList());
        Assert.True(missing.Count == 0, $"{run}: said to be applied: {string.Join(", ", missing.Select(u => $"{u} by {_applied[u]}"))}");
        Assert.True(there.Count == 0, $"{run}: said to be refused: {string.Join(", ", there.Select(u => $"{u} by {_refused[u]}"))}");
    }
}
