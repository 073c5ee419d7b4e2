using System.Collections.Immutable;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Where a host's silo has its clusters from: its settings, for as long as it runs, or a store in which they change.
/// </summary>
internal sealed class ConfigurationSource : IAsyncDisposable
{
    /// <summary>The service by which clusters ask each other which configuration they have processed.</summary>
    public const string Service = "geo.configuration";

    private readonly CancellationTokenSource _stopping = new();
    private readonly MultiClusterConfiguration? _fixed;
    private readonly ImmutableSortedDictionary<ClusterId, ImmutableArray<string>> _settings;
    private readonly ConfigurationKeeper? _keeper;
    private readonly ClusterId _local;
    private readonly TimeSpan _refresh;
    private readonly MessageOptions _asking;
    private readonly TimeProvider _time;
    private readonly Random _random;
    private readonly ILogger _logger;
    private Task _following = Task.CompletedTask;
    private IDisposable? _answering;

    /// <summary>Makes one; of a store nothing is known before <see cref="LoadAsync"/>.</summary>
    /// <param name="local">This cluster.</param>
    /// <param name="settings">The clusters that the settings name, with their addresses.</param>
    /// <param name="options">How often a store is looked at, and how long it may take.</param>
    /// <param name="store">The configuration store; null where the settings count as long as the silo runs.</param>
    /// <param name="rows">The row store of the cluster.</param>
    /// <param name="checkAddress">Throws for what is no address.</param>
    /// <param name="time">The clock.</param>
    /// <param name="random">Names the first version.</param>
    /// <param name="logger">The log.</param>
    /// <param name="needs">Why a cluster cannot be taken out, whatever the configuration says; null where it can.</param>
    public ConfigurationSource(
        ClusterId local, IEnumerable<KeyValuePair<string, List<string>>> settings, GlobalDirectoryOptions options, IConditionalStore? store,
        IConditionalStore rows, Action<string> checkAddress, TimeProvider time, Random random, ILogger logger,
        Func<ClusterId, string?>? needs = null)
    {
        (_local, _settings, _refresh) = (local, Named(local, settings), options.ConfigurationRefresh);
        (_time, _random, _logger) = (time, random, logger);
        Steps = new(options.JournalSize);
        _asking = new MessageOptions(options.Channel, Timeout: options.RequestTimeout);
        if (store is null)
        {
            _fixed = new MultiClusterConfiguration(1, [.. _settings.Keys]);
            return;
        }

        var bounds = new StoreBounds(options.StoreTimeout, options.MaxAbandonedOperations);
        var documents = new ConfigurationDocuments(new BoundedStore(store, bounds, time, logger));
        _keeper = new(
            local, documents, new StoredConfiguration(new BoundedStore(rows, bounds, time, logger)), _refresh, time, logger)
        {
            Steps = Steps,
        };
        Administration = new ConfigurationAdministration(documents, _keeper, checkAddress, needs);
    }

    /// <summary>True where the clusters change while the silo runs.</summary>
    public bool IsLive => _keeper is not null;

    /// <summary>What an operator may do; null where the clusters are those of the settings.</summary>
    public IGeoConfiguration? Administration { get; }

    /// <summary>The versions that this silo has begun to work with; none where the clusters are those of the settings.</summary>
    public Journal<ConfigurationStep> Steps { get; }

    /// <summary>The clusters that count; after <see cref="LoadAsync"/>.</summary>
    public MultiClusterConfiguration Present => _fixed ?? _keeper!.Present.ToConfiguration(_local);

    /// <summary>Asked until the silo's lease shows it; null where there is nothing to show.</summary>
    public Func<CancellationToken, Task<long>>? Confirm => _keeper is null ? null : _keeper.ConfirmAsync;

    /// <summary>
    /// Where the other clusters are dialled: by the configuration, or by the settings where that does not say, or is not read yet.
    /// </summary>
    public IEnumerable<KeyValuePair<ClusterId, ImmutableArray<string>>> EntryPoints
    {
        get
        {
            var loaded = _keeper?.Loaded?.Clusters;
            return (loaded?.Keys ?? _settings.Keys).Where(c => c != _local).Select(c => KeyValuePair.Create(
                c, loaded?.GetValueOrDefault(c)?.EntryPoints is { IsEmpty: false } known ? known : _settings.GetValueOrDefault(c, [])));
        }
    }

    /// <summary>Reads the configuration, again and again for a while where it was never read before.</summary>
    /// <param name="patience">How long.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">A store does not answer.</exception>
    /// <exception cref="GeoConfigurationException">The store was set back to a backup, or is another one.</exception>
    public async Task LoadAsync(TimeSpan patience, CancellationToken cancellationToken)
    {
        for (var started = _time.GetTimestamp(); _keeper is not null;)
        {
            try
            {
                await _keeper.LoadAsync(() => ConfigurationDocument.First(NewLineage(), _settings), cancellationToken);
                return;
            }
            catch (GeoUnavailableException) when (_time.GetElapsedTime(started) + _refresh < patience)
            {
                await Task.Delay(_refresh, _time, cancellationToken);
            }
        }
    }

    /// <summary>
    /// Asks the other clusters that are linked which version they have processed, and answers them from now on; after
    /// <see cref="LoadAsync"/>, and before this silo serves. Who does not answer in time is not waited for,
    /// and what a newer build answers is not compared.
    /// </summary>
    /// <exception cref="GeoConfigurationException">What one of them has processed is not what the store holds, or held.</exception>
    public async Task CompareAsync(IClusterMessenger messenger, CancellationToken cancellationToken)
    {
        if (_keeper is null)
        {
            return;
        }

        _answering = messenger.Handle(Service, (_, _) => new(_keeper.Present.Encode()));
        var linked = Present.Clusters.Union(_settings.Keys).Where(c => c != _local && messenger.IsLinked(c)).Order().ToList();
        var replies = await Task.WhenAll(
            linked.Select(c => messenger.RequestAsync(c, Service, default, _asking, cancellationToken).AsTask()));
        for (var i = 0; i < replies.Length; i++)
        {
            if (replies[i].Outcome == ReplyOutcome.Replied)
            {
                await CompareAsync(linked[i], replies[i].Payload, cancellationToken);
            }
        }
    }

    /// <summary>
    /// From now on the directory works with each version that comes. What goes on does so on the caller's synchronization context or task
    /// scheduler.
    /// </summary>
    /// <param name="directories">The directories, which were made with <see cref="Present"/>.</param>
    /// <param name="versions">The silos of this cluster.</param>
    /// <param name="changed">Called after each version.</param>
    public void Follow(InstanceDirectories directories, ISiloVersions versions, Action changed)
    {
        if (_keeper is null)
        {
            return;
        }

        var directory = directories.Global;
        _keeper.Follow(versions, directory.Process, directories.DrainAsync);
        _keeper.Processed += _ => changed();
        directory.Behind += _keeper.Wake;
        _following = _keeper.RunAsync(_stopping.Token);
    }

    /// <summary>Follows no more.</summary>
    public async ValueTask DisposeAsync()
    {
        if (!_stopping.IsCancellationRequested)
        {
            _stopping.Cancel();
        }

        _answering?.Dispose();
        await _following;
        _stopping.Dispose();
    }

    private async Task CompareAsync(ClusterId other, ReadOnlyMemory<byte> theirs, CancellationToken cancellationToken)
    {
        try
        {
            var document = ConfigurationDocument.Decode(
                theirs.Span, $"What cluster '{other}' has processed of the configuration", "Look at that cluster's log.");
            await _keeper!.EnsureFollowsAsync(other, document, cancellationToken);
        }
        catch (GeoSerializationException e) when (ConfigurationDocument.Judge(theirs.Span) == UnreadRow.Newer)
        {
            // As one that does not answer: silos that are upgraded one after the other, or rolled back, start beside newer ones.
            _logger.ConfigurationNotRead(_keeper!.Present.Version, e.Message);
        }
    }

    private Guid NewLineage()
    {
        var bytes = new byte[16];
        _random.NextBytes(bytes);
        return new(bytes);
    }

    private static ImmutableSortedDictionary<ClusterId, ImmutableArray<string>> Named(
        ClusterId local, IEnumerable<KeyValuePair<string, List<string>>> settings)
    {
        var named = settings.ToImmutableSortedDictionary(c => new ClusterId(c.Key), c => ImmutableArray.CreateRange(c.Value));
        return named.ContainsKey(local) ? named : named.Add(local, []);
    }
}
