namespace Geo;

/// <summary>
/// Names the rules that a test has switched off on the present thread, to show that the simulation notices: each rule of the protocols asks
/// here whether it is one of them. Never set but in such tests, which alone can reach it.
/// </summary>
internal static class SwitchedOff
{
    [ThreadStatic]
    private static UInt128 _rules;

    /// <summary>Switches rules off on this thread, and all others on.</summary>
    public static void Set(IReadOnlyList<ProtocolRule> rules)
    {
        _rules = 0;
        foreach (var rule in rules)
        {
            _rules |= UInt128.One << (int)rule;
        }
    }

    /// <summary>True when a rule is switched off.</summary>
    public static bool Is(ProtocolRule rule) => _rules != 0 && (_rules & (UInt128.One << (int)rule)) != 0;
}
