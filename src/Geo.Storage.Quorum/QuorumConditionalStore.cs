using System.Buffers.Binary;
using System.Text;
using Geo.Directory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Storage.Quorum;

/// <summary>
/// A conditional store over one store per cluster: a compare-and-swap register a key, decided by a majority of the clusters (CASPaxos).
/// It goes on while any minority of them is lost or out of reach, and confirms nothing that a minority alone knows.
/// </summary>
/// <remarks>
/// <para>
/// Each silo of a cluster that keeps values has one of these over the cluster's own store, which they share, and which nothing else may
/// use. Costs, in round trips to the nearest majority: 1 for a read that meets no write and for a write of the process that wrote the key
/// last, 2 for any other write, 3 for one that loses. A value travels to every cluster.
/// </para>
/// <para>
/// Outcomes are those of <see cref="IConditionalStore"/>. A write is unknown when no majority answered in
/// <see cref="QuorumStoreOptions.OperationTimeout"/>, or when so many other processes wrote after it, or the key was forgotten, that nobody
/// knows any more whether it was among them. Before <see cref="Join"/> every operation throws <see cref="GeoUnavailableException"/> and
/// does nothing. The first operation ever needs all clusters of the settings once, and every other one that the messenger knows, which is
/// asked whether it keeps the store already; then they come and go one at a time
/// (<see cref="AddKeeperAsync"/>, <see cref="RemoveKeeperAsync"/>). A cluster whose own store is
/// lost and replaced by an empty one does not count until it is taken out and in again; one that is set back to a backup is not noticed,
/// and breaks the promise as a lost disc breaks Paxos: empty that first.
/// </para>
/// </remarks>
public sealed class QuorumConditionalStore : IClusterStore, IKeptStore, IWritePreparation, IAsyncDisposable
{
    private readonly QuorumConfiguration _configuration;
    private readonly IConditionalStore? _rows;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly Random _random;
    private readonly ILogger _logger;
    private Membership? _membership;

    /// <summary>Makes the store; it answers once it has joined the other clusters.</summary>
    /// <param name="configuration">The clusters that keep the values at the beginning: the same for all that use the store.</param>
    /// <param name="rows">
    /// The store of this cluster, shared by its silos and used for nothing else, disposed of with this one; null in a cluster that is never
    /// to keep values.
    /// </param>
    /// <param name="options">Settings; the defaults when null.</param>
    /// <param name="time">The clock; the machine's when null.</param>
    /// <param name="random">Draws this process's number, and pauses; <see cref="Random.Shared"/> when null.</param>
    /// <param name="logger">Where trouble with acceptors is logged; nowhere when null.</param>
    /// <exception cref="GeoConfigurationException">The configuration or an option cannot be.</exception>
    public QuorumConditionalStore(
        QuorumConfiguration configuration, IConditionalStore? rows, QuorumStoreOptions? options = null, TimeProvider? time = null,
        Random? random = null, ILogger<QuorumConditionalStore>? logger = null)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        (_configuration, _rows) = (configuration.Checked(), rows);
        _options = (options ?? new QuorumStoreOptions()).Checked();
        _options = _options with { Service = _options.Service ?? "geo/quorum" };
        (_time, _random) = (time ?? TimeProvider.System, random ?? Random.Shared);
        _logger = logger ?? NullLogger<QuorumConditionalStore>.Instance;
    }

    /// <summary>Follows from the name of the service and the clusters.</summary>
    public Guid Identity
    {
        get
        {
            var (high, low) = StableHash.Hash128(
                Encoding.UTF8.GetBytes(
                    $"{_options.Service} {_configuration.InWords}"));
            var bytes = new byte[16];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes, high);
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(8), low);
            return new Guid(bytes);
        }
    }

    /// <summary>
    /// The clusters that keep the values, as far as this process has heard: those of the settings before it has joined and asked.
    /// </summary>
    public IReadOnlyList<ClusterId> Keepers => _membership?.Acceptors.Keepers ?? _configuration.Acceptors;

    /// <summary>What the last sweep of this process has done; null before the first one has ended.</summary>
    public QuorumSweepReport? LastSweep { get; private set; }

    TimeSpan IKeptStore.ForcedWait => _options.ForcedWait;

    private Membership Joined => _membership ?? throw new GeoUnavailableException(
        $"The quorum store '{_options.Service}' cannot be used yet: it has not joined the other clusters ({nameof(Join)}), which a host "
        + "does when it starts. Nothing was done; try again then.");

    /// <summary>Begins to answer for this cluster, where it is one of those that keep the values, and to serve.</summary>
    /// <exception cref="GeoConfigurationException">
    /// The cluster is one of those that the store begins with and has no store of its own for its values.
    /// </exception>
    /// <exception cref="InvalidOperationException">It has joined already.</exception>
    public IDisposable Join(IClusterMessenger messenger)
    {
        ArgumentNullException.ThrowIfNull(messenger);
        if (_rows is null && _configuration.Acceptors.Contains(messenger.LocalCluster))
        {
            throw new GeoConfigurationException(
                $"Cluster {messenger.LocalCluster} is one of those that the quorum store begins with and has no store of its own for its "
                + "values; name one.");
        }

        if (_membership is not null)
        {
            throw new InvalidOperationException("The quorum store has joined already; make one for each silo.");
        }

        if (_configuration.Acceptors.Count == 2)
        {
            _logger.StopsWithAnyCut(_options.Service!, string.Join(", ", _configuration.Acceptors));
        }

        var local = _rows is null
            ? null
            : new QuorumAcceptor(messenger.LocalCluster, _configuration, new(_rows, _options, _time, _random, _logger), _options, _time);
        var acceptors = new Acceptors(_configuration, messenger, local, _options, _time, _logger);
        var proposer = new Proposer(acceptors, _options, _time, _random);
        _membership = new(acceptors, proposer, new(acceptors, _options, _time, proposer, _logger));
        return new Part(
            acceptors,
            _rows is null || _options.SweepEvery is not { } every
                ? null : new PeriodicSweep(this, new SweepTurns(proposer), every, _options, _time, _random, _logger));
    }

    /// <summary>Disposes of the cluster's own store.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_rows is IAsyncDisposable asynchronous)
        {
            await asynchronous.DisposeAsync();
        }
        else
        {
            (_rows as IDisposable)?.Dispose();
        }
    }

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        CheckKey(key);
        return ReadAsync(token => Joined.Proposer.ReadAsync(key, token), cancellationToken);
    }

    /// <inheritdoc/>
    ValueTask<StoreRead> IWritePreparation.ReadToWriteAsync(string key, CancellationToken cancellationToken)
    {
        CheckKey(key);
        return ReadAsync(token => Joined.Proposer.ReadToWriteAsync(key, token), cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        CheckKey(key);
        StoreLimits.CheckValue(key, value.Length, _options.MaxValueBytes, "this quorum store");

        Ballot? tag = null;
        if (expected is { } etag)
        {
            if (!Ballot.TryParse(etag.Value, out var parsed))
            {
                return StoreWrite.Conflict;
            }

            tag = parsed;
        }

        // A copy: acceptors that answer late get it after the caller has its memory back.
        var change = new Change(tag);
        var end = await ChangeAsync(key, change, isLive: true, value.ToArray(), cancellationToken);
        return end.Outcome == StoreWriteOutcome.Applied ? StoreWrite.Applied(new ETag(change.Own.ToString())) : end;
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        CheckKey(key);
        return Ballot.TryParse(expected.Value, out var tag)
            ? await ChangeAsync(key, new Change(tag), isLive: false, default, cancellationToken)
            : StoreWrite.Conflict;
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        ListAsync(prefix, after: null, cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        return new QuorumList(Joined.Acceptors, _options, this, _time).ListAsync(prefix, after, cancellationToken);
    }

    /// <summary>
    /// Goes through all keys once: clusters that were away get what was decided meanwhile, and what was deleted is forgotten for good. One
    /// process or another does so every <see cref="QuorumStoreOptions.SweepEvery"/>; this is for an operator who does not want to wait.
    /// Safe at any time and from any number of processes. Each wait in it ends; as a whole it takes as long as there are keys.
    /// </summary>
    /// <exception cref="GeoUnavailableException">
    /// The store has not joined the other clusters, or those that answer do not know who keeps it.
    /// </exception>
    /// <exception cref="OperationCanceledException">The token was set; what was done stands.</exception>
    public async Task<QuorumSweepReport> SweepAsync(CancellationToken cancellationToken = default)
    {
        // What a change of the clusters has left undone comes first, whoever began it (rule R16).
        if (await CarryOnAsync(Joined.Changes, cancellationToken) is { } unsettled)
        {
            _logger.NotSettled(_options.Service!, unsettled);
        }

        var report = await new Sweep(Joined.Acceptors, _options, Joined.Proposer).RunAsync(cancellationToken);
        _logger.Swept(
            _options.Service!, report.Keys, report.Repaired, report.Forgotten, report.Remaining, report.IsComplete);
        LastSweep = report;
        return report;
    }

    /// <summary>
    /// Goes on with a forced list, under which nobody reads or sweeps where one of its stores has promised a higher version.
    /// </summary>
    internal async Task CarryOnByForceAsync(CancellationToken cancellationToken)
    {
        if (Joined.Acceptors.Known is { IsForced: true } && await CarryOnAsync(Joined.Changes, cancellationToken) is { } unsettled)
        {
            _logger.NotSettled(_options.Service!, unsettled);
        }
    }

    /// <summary>The clusters that keep the values, as a majority of them has decided.</summary>
    /// <exception cref="GeoUnavailableException">The store has not joined the other clusters, or no majority answers.</exception>
    public async Task<StoreKeepers> DescribeKeepersAsync(CancellationToken cancellationToken = default)
    {
        var kept = await Joined.Changes.ReadAsync(cancellationToken);
        return new(kept.Stores.Version, [.. kept.Stores.Stores.Keys], kept.IsSettled);
    }

    /// <summary>
    /// Has one cluster more keep the values, and writes every key under the new list of clusters. Its silos run already, with a store of
    /// their own for this one; what that holds of a time when the cluster kept values before is deleted first. Other operations go on
    /// meanwhile. Each wait in it ends; as a whole it takes as long as there are keys. What it leaves undone goes on with the next sweep.
    /// </summary>
    /// <returns>
    /// Refused, with the reason, while the last change is not through, or where the cluster or a majority does not answer.
    /// </returns>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    public Task<ConfigurationChange> AddKeeperAsync(ClusterId cluster, CancellationToken cancellationToken = default) =>
        ChangeKeepersAsync([cluster], [], cancellationToken);

    /// <summary>
    /// Has one cluster less keep the values, and writes every key under the new list of clusters: one that is to go, or whose own store is
    /// lost or was set back to a backup, and which then may be added again. Where no majority is
    /// left <see cref="ForceRemoveKeepersAsync"/> is the way.
    /// </summary>
    /// <returns>
    /// Refused, with the reason, while the last change is not through, where no majority of the others answers, or where no other one keeps
    /// them.
    /// </returns>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    public Task<ConfigurationChange> RemoveKeeperAsync(ClusterId cluster, CancellationToken cancellationToken = default) =>
        ChangeKeepersAsync([], [cluster], cancellationToken);

    /// <summary>
    /// Goes on without clusters that are lost for ever, where so many are that no majority is left: all others begin another register with
    /// what they have, which serves when every key is written there by all of them and
    /// <see cref="QuorumStoreOptions.ForcedWait"/> has passed. All that are lost are named together. Where they are more than half, or
    /// the last change of the keepers was not through, what they, or those before it, alone had confirmed is gone, and epochs may come a
    /// second time; and if they live, cut off, they go on beside it until they hear of it. <b>It is the caller's word that none of them
    /// runs</b>, and that nobody forces the others out there. Safe to ask again, and from several processes. A cluster that returns is
    /// refused by its list, keeps nothing, and may be added again.
    /// </summary>
    /// <returns>
    /// Refused, with the reason, while a majority answers (<see cref="RemoveKeeperAsync"/> is the way then), where one that is called lost
    /// answers with its own store, or where one that is not does not answer: any that is known, for it may know a later list of those that
    /// keep the values. Names of clusters that keep nothing, and do not answer, are passed over.
    /// </returns>
    /// <exception cref="GeoUnavailableException">One of the others answers no more; whether it was made may not be known.</exception>
    public Task<ConfigurationChange> ForceRemoveKeepersAsync(
        IReadOnlyList<ClusterId> lost, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(lost);
        return Joined.Changes.ForceAsync([.. lost.Distinct()], cancellationToken);
    }

    internal Task<ConfigurationChange> ChangeKeepersAsync(
        IReadOnlyList<ClusterId> comes, IReadOnlyList<ClusterId> goes, CancellationToken cancellationToken) =>
        Joined.Changes.ChangeAsync(comes, goes, cancellationToken);

    private static void CheckKey(string key)
    {
        StoreLimits.CheckKey(key);
        if (OwnKeys.Include(key))
        {
            throw new ArgumentException("Keys that begin with U+0001 are the quorum store's own.", nameof(key));
        }
    }

    private static async Task<string?> CarryOnAsync(KeeperChanges changes, CancellationToken cancellationToken)
    {
        try
        {
            return await changes.CarryOnAsync(cancellationToken);
        }
        catch (GeoUnavailableException e)
        {
            return e.Message;
        }
    }

    private async ValueTask<StoreRead> ReadAsync(
        Func<CancellationToken, Task<QuorumValue?>> read, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(_options.OperationTimeout, _time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await read(both.Token) is { IsLive: true } value
                ? StoreRead.Found(value.Bytes, new ETag(value.Tag.ToString()))
                : StoreRead.NotFound;
        }
        catch (OperationCanceledException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return StoreRead.Unknown(Silence());
        }
    }

    private async ValueTask<StoreWrite> ChangeAsync(
        string key, Change change, bool isLive, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(_options.OperationTimeout, _time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await Joined.Proposer.ChangeAsync(key, change, isLive, bytes, both.Token) switch
            {
                ChangeVerdict.Applied => StoreWrite.Deleted,
                ChangeVerdict.Conflict => StoreWrite.Conflict,
                _ => StoreWrite.Unknown("Other writes came after it before its outcome was known."),
            };
        }
        catch (OperationCanceledException)
        {
            if (change.Own.IsNone)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            return StoreWrite.Unknown(Silence());
        }
    }

    private string Silence() =>
        $"No majority of the clusters [{string.Join(", ", Keepers)}] answered within "
        + $"{_options.OperationTimeout.TotalSeconds:0.###} s.{_membership?.Acceptors.Obstacles}";

    private sealed record Membership(Acceptors Acceptors, Proposer Proposer, KeeperChanges Changes);

    private sealed class Part(Acceptors acceptors, PeriodicSweep? sweep) : IDisposable
    {
        public void Dispose()
        {
            sweep?.Dispose();
            acceptors.Dispose();
        }
    }
}
