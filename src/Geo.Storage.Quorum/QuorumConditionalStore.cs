using System.Buffers.Binary;
using System.Text;
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
/// does nothing. The first operation ever needs all clusters once. A cluster whose own store is
/// lost and replaced by an empty one does not count any more; one that is set back to a backup is not noticed, and breaks the promise as a
/// lost disc breaks Paxos: do not start it.
/// </para>
/// </remarks>
public sealed class QuorumConditionalStore : IClusterStore, IWritePreparation, IAsyncDisposable
{
    private readonly QuorumConfiguration _configuration;
    private readonly IConditionalStore? _rows;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly Random _random;
    private readonly ILogger _logger;
    private Membership? _membership;

    /// <summary>Makes the store; it answers once it has joined the other clusters.</summary>
    /// <param name="configuration">The clusters that keep the values: the same for all that use the store.</param>
    /// <param name="rows">
    /// The store of this cluster, shared by its silos and used for nothing else, disposed of with this one; null in a cluster that keeps no
    /// values.
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

    /// <inheritdoc/>
    public IReadOnlyList<ClusterId> Keepers => _configuration.Acceptors;

    /// <summary>What the last sweep of this process has done; null before the first one has ended.</summary>
    public QuorumSweepReport? LastSweep { get; private set; }

    private Membership Joined => _membership ?? throw new GeoUnavailableException(
        $"The quorum store '{_options.Service}' cannot be used yet: it has not joined the other clusters ({nameof(Join)}), which a host "
        + "does when it starts. Nothing was done; try again then.");

    /// <summary>Begins to answer for this cluster, where it is one of those that keep the values, and to serve.</summary>
    /// <exception cref="GeoConfigurationException">
    /// The cluster keeps values and has no store for them, or the other way round.
    /// </exception>
    /// <exception cref="InvalidOperationException">It has joined already.</exception>
    public IDisposable Join(IClusterMessenger messenger)
    {
        ArgumentNullException.ThrowIfNull(messenger);
        if (_configuration.Acceptors.Contains(messenger.LocalCluster) != _rows is not null)
        {
            throw new GeoConfigurationException(
                _rows is null
                    ? $"Cluster {messenger.LocalCluster} keeps values of the quorum store and has no store of its own for them; name one."
                    : $"Cluster {messenger.LocalCluster} is not among the clusters [{string.Join(", ", _configuration.Acceptors)}] that "
                        + "keep values of the quorum store; give it no store of its own, or name it.");
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
        _membership = new(acceptors, proposer);
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
        return new QuorumList(Joined.Acceptors, _options, this).ListAsync(prefix, after, cancellationToken);
    }

    /// <summary>
    /// Goes through all keys once: clusters that were away get what was decided meanwhile, and what was deleted is forgotten for good. One
    /// process or another does so every <see cref="QuorumStoreOptions.SweepEvery"/>; this is for an operator who does not want to wait.
    /// Safe at any time and from any number of processes. Each wait in it ends; as a whole it takes as long as there are keys.
    /// </summary>
    /// <exception cref="GeoUnavailableException">The store has not joined the other clusters.</exception>
    /// <exception cref="OperationCanceledException">The token was set; what was done stands.</exception>
    public async Task<QuorumSweepReport> SweepAsync(CancellationToken cancellationToken = default)
    {
        var report = await new Sweep(Joined.Acceptors, _options, Joined.Proposer).RunAsync(cancellationToken);
        _logger.Swept(
            _options.Service!, report.Keys, report.Repaired, report.Forgotten, report.Remaining, report.IsComplete);
        LastSweep = report;
        return report;
    }

    private static void CheckKey(string key)
    {
        StoreLimits.CheckKey(key);
        if (OwnKeys.Include(key))
        {
            throw new ArgumentException("Keys that begin with U+0001 are the quorum store's own.", nameof(key));
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
        $"No majority of the clusters [{string.Join(", ", _configuration.Acceptors)}] answered within "
        + $"{_options.OperationTimeout.TotalSeconds:0.###} s.{_membership?.Acceptors.Strangers}";

    private sealed record Membership(Acceptors Acceptors, Proposer Proposer);

    private sealed class Part(Acceptors acceptors, PeriodicSweep? sweep) : IDisposable
    {
        public void Dispose()
        {
            sweep?.Dispose();
            acceptors.Dispose();
        }
    }
}
