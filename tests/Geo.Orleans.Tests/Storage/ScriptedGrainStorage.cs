using Orleans.Storage;

namespace Geo.Orleans.Tests.Storage;

/// <summary>A grain storage in memory with numbers as etags, which a test lets fail around a write.</summary>
internal sealed class ScriptedGrainStorage : IGrainStorage
{
    private readonly Dictionary<GrainId, (object State, int Version)> _records = [];

    /// <summary>What happens before the next write takes effect; once.</summary>
    public Func<Task>? BeforeWrite { get; set; }

    /// <summary>What happens after the next write has taken effect; once.</summary>
    public Func<Task>? AfterWrite { get; set; }

    public Exception? ReadFailure { get; set; }

    /// <summary>Takes all keys for one, as storages do that fold characters.</summary>
    public bool Confuses { get; set; }

    public int Reads { get; private set; }

    public Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        Reads++;
        if (ReadFailure is { } failure)
        {
            throw failure;
        }

        if (_records.TryGetValue(Place(grainId), out var record))
        {
            (grainState.State, grainState.ETag, grainState.RecordExists) = ((T)record.State, $"{record.Version}", true);
        }

        return Task.CompletedTask;
    }

    public async Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        var (before, after) = (BeforeWrite, AfterWrite);
        (BeforeWrite, AfterWrite) = (null, null);
        await (before?.Invoke() ?? Task.CompletedTask);
        var version = _records.TryGetValue(Place(grainId), out var record) ? record.Version : 0;
        if ((grainState.ETag ?? "0") != $"{version}")
        {
            throw new InconsistentStateException("another version");
        }

        _records[Place(grainId)] = (grainState.State!, version + 1);
        await (after?.Invoke() ?? Task.CompletedTask);
        (grainState.ETag, grainState.RecordExists) = ($"{version + 1}", true);
    }

    public Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState) => throw new NotSupportedException();

    private GrainId Place(GrainId grainId) => Confuses ? default : grainId;
}
