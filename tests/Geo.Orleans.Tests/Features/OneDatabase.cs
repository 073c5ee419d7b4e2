using System.Collections.Concurrent;
using System.Globalization;
using Orleans.Storage;

namespace Geo.Orleans.Tests.Features;

/// <summary>A grain storage of an application, over a database that its clusters have in common or not.</summary>
internal sealed class OneDatabase(
    ConcurrentDictionary<(string State, GrainId Grain), (object? Value, int Version)> database) : IGrainStorage
{
    public OneDatabase()
        : this([])
    {
    }

    public Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        if (database.TryGetValue((stateName, grainId), out var found))
        {
            (grainState.State, grainState.ETag, grainState.RecordExists) =
                ((T)found.Value!, found.Version.ToString(CultureInfo.InvariantCulture), true);
        }
        else
        {
            (grainState.State, grainState.ETag, grainState.RecordExists) = (Activator.CreateInstance<T>(), null, false);
        }

        return Task.CompletedTask;
    }

    public Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        lock (database)
        {
            var present = database.TryGetValue((stateName, grainId), out var found) ? found.Version : 0;
            if (grainState.ETag != (present == 0 ? null : present.ToString(CultureInfo.InvariantCulture)))
            {
                throw new InconsistentStateException("another version", $"{present}", grainState.ETag);
            }

            database[(stateName, grainId)] = (grainState.State, present + 1);
            (grainState.ETag, grainState.RecordExists) = ((present + 1).ToString(CultureInfo.InvariantCulture), true);
        }

        return Task.CompletedTask;
    }

    public Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        database.TryRemove((stateName, grainId), out _);
        (grainState.State, grainState.ETag, grainState.RecordExists) = (Activator.CreateInstance<T>(), null, false);
        return Task.CompletedTask;
    }
}
