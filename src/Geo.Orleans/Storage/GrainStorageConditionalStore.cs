using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>
/// A conditional store over any grain storage of Orleans, for the versions of <c>[BatchedCas]</c> grains. It is as durable, and as widely
/// reached, as the grain storage is: all clusters must use the same database.
/// </summary>
/// <remarks>
/// <para>
/// Each value carries the stamp of its write, which is its etag, and the stamps of the writes before it. Storages whose client sends a
/// write again by itself may refuse it because of its own effect: a refused write is therefore looked up among the stamps, and ends as
/// applied or as a conflict by what they say, or as unknown where they do not reach back far enough. Every other trouble is unknown.
/// </para>
/// <para>
/// A delete leaves a small record behind, so that no condition of the storage ever fits twice. Keys are kept as letters, digits and
/// hyphens, three characters for every other byte; what a storage refuses as too long ends as unknown.
/// </para>
/// <para>
/// Every operation ends within <see cref="GrainStorageStoreOptions.Timeout"/>; while too many that the storage did not end are still under
/// way (<see cref="GrainStorageStoreOptions.MaxAbandonedOperations"/>) each ends at once as unknown.
/// </para>
/// <para>
/// A grain storage cannot list its records: <see cref="ListAsync"/> is refused. The directory of single-instance grains needs it, so this
/// cannot be the store of <see cref="GeoSiloBuilder.UseRowStore"/>.
/// </para>
/// </remarks>
public sealed class GrainStorageConditionalStore : IConditionalStore
{
    private const int Attempts = 2;

    // By name: the package that has it is not referenced here.
    private const string MemoryStorage = "Orleans.Storage.MemoryGrainStorage";

    private readonly string _name;
    private readonly BoundedGrainStorage _storage;
    private readonly GrainStorageStoreOptions _options;
    private readonly KnownVersions _known;

    /// <summary>Makes a store over a grain storage.</summary>
    /// <param name="name">The grain storage's name, for messages.</param>
    /// <param name="storage">The grain storage. It must refuse a write whose etag is not the present one.</param>
    /// <param name="options">The limits; the defaults for null.</param>
    /// <param name="time">The clock of the time-out; the system's for null.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public GrainStorageConditionalStore(
        string name, IGrainStorage storage, GrainStorageStoreOptions? options = null, TimeProvider? time = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(storage);
        (_name, _options) = (name, options ?? new());
        _options.Validate();
        _storage = new(name, storage, _options, time ?? TimeProvider.System);
        IsInMemory = storage.GetType().FullName == MemoryStorage;
        _known = new(_options.MaxKnownVersions);
    }

    /// <summary>True when the grain storage is in the memory of this cluster's silos, where no other cluster finds anything.</summary>
    internal bool IsInMemory { get; }

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        var (version, value, trouble) = await FindAsync(key, cancellationToken);
        return trouble is not null ? StoreRead.Unknown(trouble)
            : version!.ETag is { } etag ? StoreRead.Found(value, etag)
            : StoreRead.NotFound;
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        StoreLimits.CheckValue(key, value.Length, _options.MaxValueBytes, "the store over grain storage", _name);

        return ReplaceAsync(key, value.ToArray(), expected, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        var delete = await ReplaceAsync(key, null, expected, cancellationToken);
        return delete.Outcome == StoreWriteOutcome.Applied ? StoreWrite.Deleted : delete;
    }

    /// <summary>Refused: a grain storage cannot list its records.</summary>
    /// <exception cref="GeoStorageException">Always.</exception>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        throw new GeoStorageException(
            $"Grain storage '{_name}' cannot be listed. The directory of single-instance grains needs a store that can; "
            + "keep the versions of [BatchedCas] grains here, and give UseRowStore another one, such as SQLite, PostgreSQL or Azure "
            + "tables.");
    }

    private async ValueTask<StoreWrite> ReplaceAsync(string key, byte[]? value, ETag? expected, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var stamp = Guid.NewGuid();
        var ground = _known.Find(key, expected);
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            if (ground is null)
            {
                (ground, _, var trouble) = await FindAsync(key, cancellationToken);
                if (ground is null)
                {
                    return StoreWrite.Unknown(trouble!);
                }
            }

            if (ground.ETag != expected)
            {
                return StoreWrite.Conflict;
            }

            var (applied, failure) = await TryWriteAsync(key, value, ground, stamp, cancellationToken);
            if (applied is not null)
            {
                _known.Set(key, applied);
                return StoreWrite.Applied(StoredVersion.ToETag(stamp));
            }

            _known.Forget(key);
            if (failure is not null)
            {
                return StoreWrite.Unknown(failure);
            }

            // Refused, or refused because it had been applied already: the stamps tell. Not to be cancelled, for the outcome's sake.
            var (found, _, unread) = await FindAsync(key, CancellationToken.None);
            if (found is null)
            {
                return StoreWrite.Unknown($"refused, perhaps for its own effect: {unread}");
            }

            if (found.Stamps.Contains(stamp))
            {
                return StoreWrite.Applied(StoredVersion.ToETag(stamp));
            }

            if (!ground.IsCertainlyFollowedWithoutIt(found, _options.MaxStamps))
            {
                return StoreWrite.Unknown(
                    "refused, after so many other writes that it cannot be told whether it had been applied before them");
            }

            ground = found;
        }

        return StoreWrite.Conflict;
    }

    private async Task<(StoredVersion? Applied, string? Failure)> TryWriteAsync(
        string key, byte[]? value, StoredVersion ground, Guid stamp, CancellationToken cancellationToken)
    {
        var stamps = ground.StampsWith(stamp, _options.MaxStamps);
        var state = new GrainState<StoredValue>(
            new StoredValue { Key = key, Value = value ?? [], Stamps = stamps, IsDeleted = value is null }, ground.Condition)
        {
            RecordExists = ground.Exists,
        };
        try
        {
            await _storage.WriteAsync(key, state, cancellationToken);
            return (new StoredVersion(state.ETag, true, value is null, stamps), null);
        }
        catch (InconsistentStateException)
        {
            return (null, null);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return (null, "cancelled while it was being written");
        }
        catch (Exception e)
        {
            // Each storage has exceptions of its own, and none of them says that there was no effect.
            return (null, Describe(e));
        }
    }

    private async Task<(StoredVersion? Version, byte[] Value, string? Trouble)> FindAsync(string key, CancellationToken cancellationToken)
    {
        var state = new GrainState<StoredValue>();
        try
        {
            await _storage.ReadAsync(key, state, cancellationToken);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            return (null, [], Describe(e));
        }

        if (!state.RecordExists || state.State is not { Stamps.Length: > 0 } stored)
        {
            return (new(state.ETag, false, false, []), [], null);
        }

        if (stored.Key != key)
        {
            throw new GeoStorageException($"Grain storage '{_name}' takes the keys '{key}' and '{stored.Key}' for one; use another one.");
        }

        var version = new StoredVersion(state.ETag, true, stored.IsDeleted, stored.Stamps);
        _known.Set(key, version);
        return (version, stored.Value, null);
    }

    private string Describe(Exception e) =>
        e is GeoUnavailableException ? e.Message : $"grain storage '{_name}' failed: {e.GetType().Name}: {e.Message}";
}
