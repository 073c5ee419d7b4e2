using Geo.Consistency.Lattices;

namespace Geo.Consistency.Tests.Lattices.Kit;

internal static class Rules
{
    /// <summary>Runs something with one rule off; with all on where that is null.</summary>
    internal static T Without<T>(LatticeRule? off, Func<T> function)
    {
        LatticeRules.SwitchOff(off);
        try
        {
            return function();
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }
    }
}
