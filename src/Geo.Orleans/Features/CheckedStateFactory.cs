using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>
/// Makes the states of grains, and refuses those that <see cref="FeatureCheck"/> would have refused at start had it seen them: states that
/// a class asks for by an attribute of its own, or by code.
/// </summary>
internal sealed class CheckedStateFactory(IPersistentStateFactory states, IServiceProvider services) : IPersistentStateFactory
{
    public IPersistentState<TState> Create<TState>(IGrainContext context, IPersistentStateConfiguration config) =>
        services.GetRequiredService<GlobalSingleGrains>().ModeOf(context.GrainId.Type) is not null
        && services.GetRequiredService<GrainStorages>().FaultOf(StorageUse.Of(config, config.StateName)) is { } fault
            ? throw new GeoConfigurationException($"Grain '{context.GrainId}' {fault}")
            : states.Create<TState>(context, config);
}
