using System.Buffers;
using Geo.Directory;
using Microsoft.Extensions.Logging;
using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>
/// A grain storage over a conditional store that all clusters share, for the state of single-instance grains: wherever the instance is, it
/// finds what it has written, and of two instances in a cut one is refused. Other grains have a record of each cluster's own in it.
/// </summary>
/// <remarks>
/// A write that meets another version ends as <see cref="InconsistentStateException"/>, one whose outcome the store does not tell as
/// <see cref="StateOutcomeUnknownException"/>. A read without an answer is refused with <see cref="GeoUnavailableException"/>, which
/// Orleans wraps in its own exception.
/// </remarks>
internal sealed class SharedGrainStorage(
    string name, string storeName, IConditionalStore store, ClusterId home, Func<GrainType, bool> isSingle, IGeoSerializer serializer,
    IActivatorProvider activators, SharedGrainStorageOptions options, TimeProvider time, ILogger logger) : IGrainStorage
{
    private const string KeyPrefix = "state";

    private readonly BoundedStore _bounded = new(
        store,
        new(options.Timeout, options.MaxAbandonedOperations)
        {
            TimedOut = () => OrleansMetrics.StorageBoundsHit.Add(1, new KeyValuePair<string, object?>("storage", name)),
            Refused = () => OrleansMetrics.StorageRefusals.Add(1, new KeyValuePair<string, object?>("storage", name)),
        },
        time, logger);

    /// <summary>The name under which the store was added.</summary>
    public string StoreName { get; } = storeName;

    /// <summary>The store.</summary>
    public IConditionalStore Store { get; } = store;

    /// <summary>
    /// The key of a state: of a single-instance grain the same in every cluster, of any other with the name of this one. Neither a
    /// cluster's name nor the escaped one of the state nor a grain's type holds a '/', so that no two states share a key.
    /// </summary>
    public string KeyOf(string stateName, GrainId grain) =>
        $"{KeyPrefix}{(isSingle(grain.Type) ? null : $".{home}")}/{Uri.EscapeDataString(stateName)}/{GrainNames.ToKey(grain)}";

    public async Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        var read = await ReadAsync(stateName, grainId);
        grainState.RecordExists = read.Outcome == StoreReadOutcome.Found;
        grainState.ETag = read.ETag?.Value;
        grainState.State = grainState.RecordExists ? serializer.Deserialize<T>(read.Value.Span) : activators.GetActivator<T>().Create();
    }

    public async Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        var bytes = new ArrayBufferWriter<byte>();
        serializer.Serialize(grainState.State, bytes);
        var expected = ToETag(grainState.ETag);
        var written = await EndAsync(token => _bounded.WriteAsync(KeyOf(stateName, grainId), bytes.WrittenMemory, expected, token));
        grainState.ETag = Applied(written, stateName, grainId, grainState.ETag)?.Value;
        grainState.RecordExists = true;
    }

    public async Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        if (ToETag(grainState.ETag) is { } expected)
        {
            var deleted = await EndAsync(token => _bounded.DeleteAsync(KeyOf(stateName, grainId), expected, token));
            Applied(deleted, stateName, grainId, grainState.ETag);
        }
        else if ((await ReadAsync(stateName, grainId)).ETag is { } present)
        {
            throw Conflict(stateName, grainId, null, present.Value);
        }

        grainState.ETag = null;
        grainState.RecordExists = false;
        grainState.State = activators.GetActivator<T>().Create();
    }

    private static ETag? ToETag(string? text) => text is null ? null : new ETag(text);

    private async Task<StoreRead> ReadAsync(string stateName, GrainId grain)
    {
        var read = await EndAsync(token => _bounded.ReadAsync(KeyOf(stateName, grain), token));
        return read.Outcome != StoreReadOutcome.Unknown ? read : throw new GeoUnavailableException(
            $"State '{stateName}' of grain '{grain}' could not be read: the store of grain storage '{name}' did not answer "
            + $"({read.Reason}). Try again.");
    }

    private ETag? Applied(StoreWrite written, string stateName, GrainId grain, string? expected) => written.Outcome switch
    {
        StoreWriteOutcome.Applied => written.ETag,
        StoreWriteOutcome.Conflict => throw Conflict(stateName, grain, expected, null),
        _ => throw new StateOutcomeUnknownException(
            $"State '{stateName}' of grain '{grain}' may have been written or not: the store of grain storage '{name}' did not answer "
            + $"({written.Reason}). Read it before going on."),
    };

    private InconsistentStateException Conflict(string stateName, GrainId grain, string? expected, string? stored) => new(
        $"State '{stateName}' of grain '{grain}' in grain storage '{name}' is another than the one read: another instance has written it. "
        + "Nothing was written; read it before going on.", stored, expected);

    /// <summary>Ends in time; a store that heeds its token then ends what is not waited for any more.</summary>
    private static async Task<TOutcome> EndAsync<TOutcome>(Func<CancellationToken, ValueTask<TOutcome>> operation)
    {
        using var over = new CancellationTokenSource();
        try
        {
            return await operation(over.Token);
        }
        finally
        {
            over.Cancel();
        }
    }
}
