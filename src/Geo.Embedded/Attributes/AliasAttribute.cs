namespace Geo.Embedded;

/// <summary>A name by which Orleans knows a type or method in place of its own. The embedded host ignores it.</summary>
/// <param name="alias">The name.</param>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Interface | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Method)]
public sealed class AliasAttribute(string alias) : Attribute
{
    /// <summary>The name.</summary>
    public string Alias { get; } = alias;
}
