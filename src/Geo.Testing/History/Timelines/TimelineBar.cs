namespace Geo.Testing;

/// <summary>An operation as it is drawn over time.</summary>
/// <param name="Process">Who called it.</param>
/// <param name="Text">What was asked for, and what came back.</param>
/// <param name="CalledAt">Its place among all calls and returns.</param>
/// <param name="ReturnedAt">The place of its return; null while it is open.</param>
internal sealed record TimelineBar(string Process, string Text, long CalledAt, long? ReturnedAt)
{
    /// <summary>Its number in the order that was found, from 1.</summary>
    public int? Place { get; init; }

    /// <summary>The state behind it in that order.</summary>
    public string? State { get; init; }

    /// <summary>True for what does not fit.</summary>
    public bool IsCulprit { get; init; }

    public static TimelineBar Of<TOperation, TResult>(HistoryOperation<TOperation, TResult> operation) => new(
        operation.Process,
        $"{operation.Key} {operation.Operation} → {(operation.ReturnedAt is null ? "?" : operation.Result)}",
        operation.CalledAt,
        operation.ReturnedAt);
}
