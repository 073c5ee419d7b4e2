namespace Geo.Embedded;

/// <summary>
/// The caller does not wait: its task ends at once, at most one execution follows, and what becomes of it is only logged. On the
/// interface's method.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OneWayAttribute : Attribute;
