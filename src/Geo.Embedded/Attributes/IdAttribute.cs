namespace Geo.Embedded;

/// <summary>
/// Marks a member that is part of the type's serialized form. The embedded host serializes public members anyway; on a property whose
/// setter is not public, and on a field, the mark makes it do so too.
/// </summary>
/// <param name="id">The member's number, which the embedded host ignores.</param>
[AttributeUsage(
    AttributeTargets.Field | AttributeTargets.Property | AttributeTargets.Class | AttributeTargets.Struct
        | AttributeTargets.Enum | AttributeTargets.Interface | AttributeTargets.Method)]
public sealed class IdAttribute(uint id) : Attribute
{
    /// <summary>The member's number.</summary>
    public uint Id { get; } = id;
}
