namespace Geo.Embedded;

/// <summary>
/// A promise that the value never changes once made, so that calls within a silo share it in place of copying it. On a type it holds for
/// all its values, on a parameter or return value for what is passed there.
/// </summary>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Parameter | AttributeTargets.ReturnValue
        | AttributeTargets.Field | AttributeTargets.Property, Inherited = false)]
public sealed class ImmutableAttribute : Attribute;
