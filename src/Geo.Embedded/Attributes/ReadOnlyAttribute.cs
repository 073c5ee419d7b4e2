namespace Geo.Embedded;

/// <summary>
/// The method does not change the grain: such calls may interleave with each other, not with other calls. A waiting call that is not
/// read-only is not overtaken, so that readers cannot starve it. On the interface's method, or on the class's.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ReadOnlyAttribute : Attribute;
