namespace Geo.Embedded;

/// <summary>
/// Values that travel with calls: set by a caller, seen by the grain called and by the grains it calls in turn. What a grain sets is not
/// seen by its caller.
/// </summary>
/// <remarks>
/// Between processes the values may be null, <see cref="string"/>, <see cref="bool"/>, <see cref="int"/>, <see cref="long"/>,
/// <see cref="double"/>, <see cref="decimal"/>, <see cref="Guid"/>, <see cref="DateTime"/>, <see cref="DateTimeOffset"/>,
/// <see cref="TimeSpan"/> or <see cref="byte"/>[]; a call with another value fails with a <see cref="GeoSerializationException"/>.
/// </remarks>
public static class RequestContext
{
    /// <summary>The names set.</summary>
    public static IEnumerable<string> Keys => CallScope.Values.Keys;

    /// <summary>The names and values set.</summary>
    public static IEnumerable<KeyValuePair<string, object>> Entries => CallScope.Values;

    /// <summary>The value of a name; null when it is not set.</summary>
    public static object? Get(string key) => CallScope.Values.GetValueOrDefault(key);

    /// <summary>Sets a value for the calls that this method, and what it calls, makes from now on.</summary>
    public static void Set(string key, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        CallScope.Values = CallScope.Values.SetItem(key, value);
    }

    /// <summary>Removes a name.</summary>
    /// <returns>True when it was set.</returns>
    public static bool Remove(string key)
    {
        var values = CallScope.Values;
        CallScope.Values = values.Remove(key);
        return values.ContainsKey(key);
    }

    /// <summary>Removes all names.</summary>
    public static void Clear() => CallScope.Values = CallScope.NoValues;
}
