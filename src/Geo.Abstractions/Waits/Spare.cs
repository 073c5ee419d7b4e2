namespace Geo;

/// <summary>
/// One object a thread that was used and can be used again: what an idle activation would otherwise keep for its next use. Given and taken
/// within a few instructions of each other, it costs no allocation while there is work.
/// </summary>
internal static class Spare<T>
    where T : class, new()
{
    [ThreadStatic]
    private static T? _spare;

    /// <summary>The thread's spare one, or a new one.</summary>
    public static T Take()
    {
        var spare = _spare;
        _spare = null;
        return spare ?? new();
    }

    /// <summary>Keeps one that is as good as new; whoever gives it forgets it.</summary>
    /// <param name="used">The object.</param>
    /// <param name="isSmall">False when it is not to be kept.</param>
    public static void Give(T used, bool isSmall = true) => _spare = isSmall ? used : _spare;
}
