namespace Geo.Consistency;

/// <summary>Says which rules a test has switched off on the present thread; never set but in such tests.</summary>
internal static class LeaderRules
{
    [ThreadStatic]
    private static LeaderRule? _off;

    /// <summary>Switches one rule off on this thread, and all others on.</summary>
    internal static void SwitchOff(LeaderRule? rule) => _off = rule;

    internal static bool IsOff(LeaderRule rule) => _off == rule;
}
