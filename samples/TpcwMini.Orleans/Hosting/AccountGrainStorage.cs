using Orleans.Serialization;
using Orleans.Storage;

namespace TpcwMini.Hosting;

/// <summary>Orleans' grain storage over the storage account, so that the basic API's items are kept where the versioned ones are.</summary>
internal sealed class AccountGrainStorage(IConditionalStore account, Serializer serializer) : IGrainStorage
{
    public async Task ReadStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        var read = await account.ReadAsync(KeyOf(stateName, grainId));
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            throw new GeoUnavailableException($"The state of {grainId} could not be read ({read.Reason}).");
        }

        grainState.RecordExists = read.Outcome == StoreReadOutcome.Found;
        grainState.State = grainState.RecordExists ? serializer.Deserialize<T>(read.Value) : Activator.CreateInstance<T>();
        grainState.ETag = read.ETag?.ToString();
    }

    public async Task WriteStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        var written = await account.WriteAsync(KeyOf(stateName, grainId), serializer.SerializeToArray(grainState.State), ETagOf(grainState));
        Check(written.Outcome, written.Reason, grainId, grainState.ETag);
        (grainState.ETag, grainState.RecordExists) = (written.ETag?.ToString(), true);
    }

    public async Task ClearStateAsync<T>(string stateName, GrainId grainId, IGrainState<T> grainState)
    {
        if (ETagOf(grainState) is { } etag)
        {
            var deleted = await account.DeleteAsync(KeyOf(stateName, grainId), etag);
            Check(deleted.Outcome, deleted.Reason, grainId, grainState.ETag);
        }

        (grainState.State, grainState.ETag, grainState.RecordExists) = (Activator.CreateInstance<T>(), null, false);
    }

    private static string KeyOf(string stateName, GrainId grain) => $"{stateName}/{grain}";

    private static ETag? ETagOf<T>(IGrainState<T> state) => state.ETag is { } etag ? new ETag(etag) : null;

    private static void Check(StoreWriteOutcome outcome, string? reason, GrainId grain, string? etag)
    {
        switch (outcome)
        {
            case StoreWriteOutcome.Conflict:
                throw new InconsistentStateException($"The state of {grain} was written by somebody else.", "another", etag ?? "none");
            case StoreWriteOutcome.Unknown:
                throw new GeoOutcomeUnknownException($"It is not known whether the state of {grain} was written ({reason}).");
        }
    }
}
