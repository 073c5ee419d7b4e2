namespace Geo.Embedded;

/// <summary>
/// On a constructor's parameter of type <see cref="IPersistentState{TState}"/>: asks for a state of the grain that is read before
/// <see cref="Grain.OnActivateAsync"/>.
/// </summary>
/// <param name="stateName">The state's name within the grain.</param>
/// <param name="storageName">The name under which the store was added; the default store when null.</param>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class PersistentStateAttribute(string stateName, string? storageName = null) : Attribute
{
    /// <summary>The state's name within the grain.</summary>
    public string StateName { get; } = stateName;

    /// <summary>The name of the store; the default store when null.</summary>
    public string? StorageName { get; } = storageName;
}
