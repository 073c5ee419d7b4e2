namespace Geo.Embedded;

/// <summary>
/// The method does not change the grain and raises no events: such calls may interleave with each other, and with another call while that
/// waits in <c>ConfirmEvents</c>, <c>RefreshNow</c> or a conditional event, not otherwise. A waiting call that is not read-only is
/// overtaken only during such a wait, so that readers cannot starve it. On the interface's method, or on the class's.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ReadOnlyAttribute : Attribute;
