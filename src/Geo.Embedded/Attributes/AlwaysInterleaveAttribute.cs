namespace Geo.Embedded;

/// <summary>The method may interleave with any call of the grain, itself included. On the interface's method, or on the class's.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class AlwaysInterleaveAttribute : Attribute;
