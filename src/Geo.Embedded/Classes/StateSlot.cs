namespace Geo.Embedded;

/// <summary>A stored state that a grain class asks for.</summary>
/// <param name="Name">The state's name within the grain.</param>
/// <param name="Storage">The name of its store.</param>
/// <param name="StateType">Its type.</param>
internal sealed record StateSlot(string Name, string Storage, Type StateType);
