namespace Geo.Testing;

/// <summary>What breaks a guarantee.</summary>
/// <param name="Text">What is wrong.</param>
/// <param name="Operations">The operations that show it; the first has the key.</param>
internal sealed record GuaranteeViolation(string Text, params HistoryOperation<UpdateCall, SeenUpdates>[] Operations)
{
    private const int DrawnAtMost = 60;

    /// <summary>The operations that show it, among others of their sessions and objects from that time.</summary>
    public HistoryTimeline Draw(IEnumerable<HistoryOperation<UpdateCall, SeenUpdates>> history)
    {
        var (from, to) = (Operations.Min(o => o.CalledAt), Operations.Max(o => o.ReturnedAt ?? o.CalledAt));
        var others = history.Except(Operations)
            .Where(o => o.CalledAt < to && (o.ReturnedAt ?? o.CalledAt) > from)
            .Where(o => Operations.Any(p => p.Key == o.Key || p.Process == o.Process))
            .TakeLast(DrawnAtMost);
        return new HistoryTimeline(
            [.. Operations.Select(o => TimelineBar.Of(o) with { IsCulprit = true }), .. others.Select(TimelineBar.Of)],
            $"Drawn are the operations that show it and up to {DrawnAtMost} of their sessions and objects between them.");
    }
}
