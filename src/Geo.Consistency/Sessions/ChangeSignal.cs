namespace Geo.Consistency;

/// <summary>Those who wait until a view shows something else, at most a limit of them.</summary>
internal sealed class ChangeSignal(GrainKey key, int limit)
{
    private List<Completion<bool>>? _waiting;

    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    internal Task NextAsync(CancellationToken cancellationToken)
    {
        _waiting ??= [];
        _waiting.RemoveAll(static w => w.Task.IsCompleted);
        if (_waiting.Count >= limit)
        {
            ConsistencyMetrics.WaitsRefused.Add(1);
            throw new GeoUnavailableException(
                $"The view of {key} has {limit} callers waiting for another version, as many as option MaxWaiters allows; this one does "
                + "not wait.");
        }

        var next = new Completion<bool>(cancellationToken);
        _waiting.Add(next);
        return next.Task;
    }

    internal void Changed()
    {
        var waiting = _waiting;
        _waiting = null;
        waiting?.ForEach(w => w.TrySetResult(true));
    }

    internal void Fail(Exception reason)
    {
        var waiting = _waiting;
        _waiting = null;
        waiting?.ForEach(w => w.TrySetFaulted(reason));
    }
}
