namespace Geo.Consistency;

/// <summary>Updates of one instance that stay together.</summary>
/// <param name="First">The number of the first one; the others follow without a gap.</param>
/// <param name="Count">How many they are.</param>
/// <param name="Expected">The version on top of which alone they may be applied; null for any.</param>
internal readonly record struct HandInGroup(long First, int Count, long? Expected)
{
    internal long Last => First + Count - 1;
}
