namespace Geo.Embedded;

/// <summary>Orleans generates a serializer for the type. The embedded host needs none and ignores it.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum)]
public sealed class GenerateSerializerAttribute : Attribute
{
    /// <summary>Ignored here.</summary>
    public bool IncludePrimaryConstructorParameters { get; init; }
}
