namespace Geo.Testing;

/// <summary>One operation of a history, from its call to its return.</summary>
/// <typeparam name="TOperation">What was asked for.</typeparam>
/// <typeparam name="TResult">What came back.</typeparam>
public sealed class HistoryOperation<TOperation, TResult>
{
    private readonly History<TOperation, TResult> _history;

    internal HistoryOperation(History<TOperation, TResult> history, string key, string process, TOperation operation, long calledAt) =>
        (_history, Key, Process, Operation, CalledAt) = (history, key, process, operation, calledAt);

    /// <summary>The object that it was called on; operations on different objects are checked apart.</summary>
    public string Key { get; }

    /// <summary>Who called it, for people.</summary>
    public string Process { get; }

    /// <summary>What was asked for.</summary>
    public TOperation Operation { get; }

    /// <summary>Its place among all calls and returns of the history.</summary>
    public long CalledAt { get; }

    /// <summary>
    /// The place of its return; null while it is open, which it stays for good when it timed out: it may take effect at any time.
    /// </summary>
    public long? ReturnedAt { get; private set; }

    /// <summary>What came back, once it has returned.</summary>
    public TResult? Result { get; private set; }

    /// <summary>Records that the operation returned.</summary>
    public void Return(TResult result)
    {
        ReturnedAt = ReturnedAt is null
            ? _history.NextPlace()
            : throw new InvalidOperationException($"The operation {Operation} on '{Key}' has returned already.");
        Result = result;
    }

    /// <summary>Records that the operation failed and certainly had no effect: it leaves the history.</summary>
    public void Fail() => _history.Remove(this);

    /// <inheritdoc/>
    public override string ToString() =>
        $"[{CalledAt},{(ReturnedAt is { } end ? end : "open")}] {Process} {Key} {Operation} -> {(ReturnedAt is null ? "?" : Result)}";
}
