using System.Collections.Immutable;

namespace Geo.Embedded;

/// <summary>What flows with the execution of a call: the values of <see cref="RequestContext"/> and the chain of calls it is part of.</summary>
internal sealed class CallScope(ImmutableDictionary<string, object> values, CallChain? chain)
{
    /// <summary>No value.</summary>
    public static readonly ImmutableDictionary<string, object> NoValues = ImmutableDictionary.Create<string, object>(StringComparer.Ordinal);

    private static readonly AsyncLocal<CallScope?> Flowing = new();

    private readonly ImmutableDictionary<string, object> _values = values;

    /// <summary>The scope that the present code runs in; null outside calls when no value was set.</summary>
    public static CallScope? Current
    {
        get => Flowing.Value;
        set => Flowing.Value = value;
    }

    /// <summary>The values that the present code sees.</summary>
    public static ImmutableDictionary<string, object> Values
    {
        get => Flowing.Value?._values ?? NoValues;
        set => Flowing.Value = new CallScope(value, Flowing.Value?.Chain);
    }

    /// <summary>The calls that led here, the innermost first; null outside calls.</summary>
    public CallChain? Chain { get; } = chain;
}
