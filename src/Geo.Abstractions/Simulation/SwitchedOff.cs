namespace Geo;

/// <summary>
/// Names the one rule that a test has switched off on the present thread, to show that the simulation notices: each rule of the protocols asks
/// here whether it is that one. Never set but in such tests, which alone can reach it.
/// </summary>
internal static class SwitchedOff
{
    [ThreadStatic]
    private static ProtocolRule _rule;

    /// <summary>The rule that is switched off on this thread; none outside of tests.</summary>
    internal static ProtocolRule Rule
    {
        get => _rule;
        set => _rule = value;
    }

    /// <summary>True when a rule is the one that is switched off.</summary>
    public static bool Is(ProtocolRule rule) => _rule == rule;
}
