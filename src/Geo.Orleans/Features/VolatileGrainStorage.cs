using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>A grain storage that keeps nothing: the state of a grain lives and ends with its activation, in every cluster alike.</summary>
internal sealed class VolatileGrainStorage(IActivatorProvider activators) : IGrainStorage
{
    /// <summary>The present state is the only one there is, so that a grain that reads it again keeps it.</summary>
    public Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        grainState.State ??= activators.GetActivator<T>().Create();
        return Task.CompletedTask;
    }

    public Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        grainState.RecordExists = true;
        return Task.CompletedTask;
    }

    public Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        grainState.State = activators.GetActivator<T>().Create();
        grainState.RecordExists = false;
        return Task.CompletedTask;
    }
}
