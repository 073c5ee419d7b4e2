namespace Geo.Consistency.Lattices;

/// <summary>Says which rule a test has switched off on the present thread; never set but in such tests.</summary>
internal static class LatticeRules
{
    [ThreadStatic]
    private static LatticeRule? _off;

    /// <summary>Switches one rule off on this thread, and all others on.</summary>
    internal static void SwitchOff(LatticeRule? rule) => _off = rule;

    internal static bool IsOff(LatticeRule rule) => _off == rule;
}
