namespace Geo.Embedded;

/// <summary>A method of a grain interface as one grain class implements it.</summary>
/// <param name="Method">The interface's method.</param>
/// <param name="Kind">How its calls go with others, by the attributes of interface and class.</param>
internal sealed record BoundMethod(GrainMethod Method, TurnQueue.Kind Kind);
