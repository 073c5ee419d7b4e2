namespace Geo.Embedded;

/// <summary>
/// The name under which all clusters know the grain class. Without it the name is the class's own in lower case, less an ending
/// "grain".
/// </summary>
/// <param name="grainType">1 to 200 characters; no '/', '@' or '|'.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class GrainTypeAttribute(string grainType) : Attribute
{
    /// <summary>The name.</summary>
    public string GrainType { get; } = grainType;
}
