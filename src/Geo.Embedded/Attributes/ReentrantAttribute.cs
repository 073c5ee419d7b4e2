namespace Geo.Embedded;

/// <summary>
/// Calls to the grain may interleave: while one awaits, another may run. At any moment at most one of them executes, so that no lock is
/// needed, but what was read before an await may have changed after it.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ReentrantAttribute : Attribute;
