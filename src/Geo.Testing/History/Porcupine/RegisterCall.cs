namespace Geo.Testing;

/// <summary>A call of a register of text, which begins empty.</summary>
/// <param name="Kind">What is asked for.</param>
/// <param name="Value">The text that is written or appended.</param>
/// <param name="Expected">The text that a compare-and-swap expects.</param>
public readonly record struct RegisterCall(RegisterCallKind Kind, string Value = "", string Expected = "")
{
    /// <summary>What a register does when it is called by one client after the other. Writes and appends give an empty text.</summary>
    public static SequentialModel<string, RegisterCall, string> Model { get; } = new(
        "",
        (state, call) => call.Kind switch
        {
            RegisterCallKind.Read => (state, state),
            RegisterCallKind.Write => (call.Value, ""),
            RegisterCallKind.Append => (state + call.Value, ""),
            _ => state == call.Expected ? (call.Value, "ok") : (state, "fail"),
        },
        call => call.Kind switch
        {
            RegisterCallKind.Read => OperationEffect.Reads,
            RegisterCallKind.Write => OperationEffect.Overwrites,
            _ => OperationEffect.Unknown,
        });

    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        RegisterCallKind.Read => "read",
        RegisterCallKind.CompareAndSwap => $"cas {Expected} {Value}",
        _ => $"{(Kind == RegisterCallKind.Write ? "write" : "append")} {Value}",
    };
}
