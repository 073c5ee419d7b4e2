namespace Geo.Consistency;

/// <summary>Says which rules a test has switched off on the present thread; never set but in such tests.</summary>
internal static class CasRules
{
    [ThreadStatic]
    private static CasRule? _off;

    /// <summary>Switches one rule off on this thread, and all others on.</summary>
    internal static void SwitchOff(CasRule? rule) => _off = rule;

    internal static bool IsOff(CasRule rule) => _off == rule;
}
