namespace Geo.Testing;

/// <summary>In the end all replicas show the same: all updates that were accepted.</summary>
internal static class ConvergenceCheck
{
    public static (string Key, string Text)? Run(LevelHistory history)
    {
        foreach (var reads in history.Calls.Where(c => c.Kind == LevelCallKind.FinalRead).GroupBy(c => c.Key))
        {
            var first = reads.First();
            if (reads.FirstOrDefault(r => r.Update != first.Update || !r.Seen.Order().SequenceEqual(first.Seen.Order())) is { } other)
            {
                return (reads.Key, $"in the end\n  {first}\n  {other}");
            }

            var last = history.Calls.Where(c => c.Kind == LevelCallKind.Write && c.Key == reads.Key && first.Seen.Contains(c.Update))
                .MaxBy(c => c.Stamp);
            if (last is not null && last.Update != first.Update)
            {
                return (reads.Key, $"in the end\n  {first}\n  though the last write is\n  {last}");
            }
        }

        return null;
    }
}
