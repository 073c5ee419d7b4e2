using System.Collections.Immutable;

namespace Geo.Embedded;

/// <summary>What flows with the execution of a call: the values of <see cref="RequestContext"/> and the call itself.</summary>
internal sealed class CallScope(ImmutableDictionary<string, object> values, CallFrame? frame)
{
    /// <summary>No value.</summary>
    public static readonly ImmutableDictionary<string, object> NoValues =
        ImmutableDictionary.Create<string, object>(StringComparer.Ordinal);

    private static readonly AsyncLocal<CallScope?> Flowing = new();

    private readonly ImmutableDictionary<string, object> _values = values;
    private readonly CallFrame? _frame = frame;

    /// <summary>The values that the present code sees.</summary>
    public static ImmutableDictionary<string, object> Values
    {
        get => Flowing.Value?._values ?? NoValues;
        set => Flowing.Value = new CallScope(value, Flowing.Value?._frame);
    }

    /// <summary>The turn that the present code is part of; null outside turns.</summary>
    public static CallFrame? Frame => Flowing.Value?._frame is { HasEnded: false } frame ? frame : null;

    /// <summary>Enters the scope of a turn; left when the asynchronous method that entered it returns.</summary>
    public static void Enter(ImmutableDictionary<string, object> values, CallFrame? frame) => Flowing.Value = new CallScope(values, frame);
}
