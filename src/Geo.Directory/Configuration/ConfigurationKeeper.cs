using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Has one silo work with the configuration as it changes (rules C1, C2, C4, C8, C11 of the design of regions): looks for later versions,
/// processes them in the order that the barrier relies on, says how far its cluster has come, and takes the second step of a change
/// whoever has begun it.
/// </summary>
/// <param name="local">This cluster.</param>
/// <param name="documents">The store that all clusters reach.</param>
/// <param name="stored">What this cluster has processed.</param>
/// <param name="refresh">How often it looks.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class ConfigurationKeeper(
    ClusterId local, ConfigurationDocuments documents, StoredConfiguration stored, TimeSpan refresh, TimeProvider time, ILogger logger)
{
    private readonly Alarm _alarm = new(time);
    private ConfigurationDocument? _present;
    private ISiloVersions? _versions;
    private Action<MultiClusterConfiguration>? _process;
    private DrainPasses? _drain;

    /// <summary>Raised when a later version is processed: entry points may have changed.</summary>
    public event Action<ConfigurationDocument>? Processed;

    /// <summary>The versions that this silo has begun to work with.</summary>
    public Journal<ConfigurationStep> Steps { get; init; } = new(0);

    /// <summary>The version that this silo works with; after <see cref="LoadAsync"/>.</summary>
    public ConfigurationDocument Present =>
        Loaded ?? throw new InvalidOperationException("The configuration is not loaded yet; call LoadAsync first.");

    /// <summary>The same; null before <see cref="LoadAsync"/>.</summary>
    public ConfigurationDocument? Loaded => Volatile.Read(ref _present);

    /// <summary>Why what the configuration store holds is not followed; null while it is.</summary>
    public string? Distrust { get; private set; }

    private bool MayOwn => Present.ToConfiguration(local).MayOwn(local);

    /// <summary>
    /// Reads the configuration. Where the store has none, it is made from the settings; after that the settings do not count any more
    /// (rule C1). Where the store does not answer, or holds what this build cannot read, the last version that the cluster has processed
    /// counts.
    /// </summary>
    /// <param name="first">The first version, of the settings.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">
    /// The row store does not answer, or the configuration store does not and the cluster has never processed a configuration.
    /// </exception>
    /// <exception cref="GeoSerializationException">
    /// What the row store holds cannot be read, or what the configuration store holds and the cluster has never processed a configuration.
    /// </exception>
    /// <exception cref="GeoConfigurationException">The store was set back to a backup, or is another one.</exception>
    public async Task LoadAsync(Func<ConfigurationDocument> first, CancellationToken cancellationToken)
    {
        var known = await stored.ReadAsync(cancellationToken);
        ConfigurationDocument found;
        try
        {
            found = await FindAsync(known, first, cancellationToken);
        }
        catch (GeoException e) when (known is not null && IsUnread(e))
        {
            logger.ConfigurationNotRead(known.Version, e.Message);
            found = known;
        }

        if (await stored.RaiseAsync(found, cancellationToken) is { } distrust)
        {
            throw CannotStart(distrust);
        }

        Volatile.Write(ref _present, found);
        var clusters = string.Join(", ", found.Clusters.Keys);
        logger.ConfigurationLoaded(found.Version, clusters);
        Steps.Note(new(time.GetUtcNow(), found.Version, $"The silo began with it: {clusters}."));
        if (!found.Clusters.ContainsKey(local))
        {
            logger.ClusterIsOutside(local, found.Version);
        }
    }

    /// <summary>
    /// Reads again what the cluster has processed, when the silo's lease is known to be stored (rule C2): whoever looked at the leases
    /// before that has stored its version before.
    /// </summary>
    /// <returns>The version that the lease must show before the silo serves.</returns>
    /// <exception cref="GeoUnavailableException">The row store does not answer.</exception>
    public async Task<long> ConfirmAsync(CancellationToken cancellationToken)
    {
        if (!SwitchedOff.Is(ProtocolRule.ConfigurationIsReadAgain)
            && await stored.ReadAsync(cancellationToken) is { } later && later.Version > Present.Version)
        {
            Volatile.Write(ref _present, later);
        }

        return Present.Version;
    }

    /// <summary>
    /// Compares with what another cluster has processed: where this one keeps nothing while it does not run, or was set back together with
    /// the configuration store, others alone know what that held.
    /// </summary>
    /// <exception cref="GeoConfigurationException">
    /// The store was set back to a backup, or the other cluster goes by another one; or that one knows that this cluster was taken out, and
    /// the store cannot be read.
    /// </exception>
    public async Task EnsureFollowsAsync(ClusterId other, ConfigurationDocument theirs, CancellationToken cancellationToken)
    {
        if (ConfigurationTrust.Distrust(theirs, Present) is null)
        {
            return;
        }

        ConfigurationDocument? found;
        try
        {
            // It may have changed since it was read.
            found = (await documents.ReadAsync(cancellationToken)).Document;
        }
        catch (GeoException e) when (IsUnread(e))
        {
            found = Present;
            if (theirs.Follows(found))
            {
                if (theirs.Clusters.ContainsKey(local))
                {
                    return;
                }

                // By force, perhaps: what this cluster owned may be owned by others.
                throw CannotStart(
                    $"Cluster '{other}' works with version {theirs.Version} of the configuration, without cluster '{local}', which has "
                    + $"processed version {found.Version}; and the store that would say what has become of it cannot be read: {e.Message}");
            }
        }

        if (ConfigurationTrust.Distrust(theirs, found, $"cluster '{other}'") is { } distrust)
        {
            throw CannotStart(distrust);
        }
    }

    /// <summary>Looks now instead of at the next interval.</summary>
    public void Wake() => _alarm.Ring();

    /// <summary>Begins to follow what changes; before <see cref="RunAsync"/>.</summary>
    /// <param name="versions">The silos of this cluster.</param>
    /// <param name="process">Has this silo work with a version from then on.</param>
    /// <param name="drain">Gives up what the cluster has, in one pass; says how many rows it found.</param>
    public void Follow(
        ISiloVersions versions, Action<MultiClusterConfiguration> process, Func<CancellationToken, Task<DrainPass>> drain)
    {
        (_versions, _process, _drain) = (versions, process, new DrainPasses(drain, Wake));
        versions.Tell(Present.Version);
    }

    /// <summary>Follows until cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var stop = cancellationToken.Register(_alarm.Ring);
        for (_alarm.Set(); !cancellationToken.IsCancellationRequested; _alarm.Set())
        {
            try
            {
                await LookAsync(cancellationToken);
            }
            catch (GeoException e) when (IsUnread(e))
            {
                logger.ConfigurationNotRead(Present.Version, e.Message);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                logger.LoopFailed("look at the configuration", e);
            }
            catch (OperationCanceledException)
            {
                break;
            }

            await _alarm.SleepAsync(refresh);
        }

        await _drain!.EndAsync();
    }

    /// <summary>Looks once.</summary>
    public async Task LookAsync(CancellationToken cancellationToken)
    {
        var read = await documents.ReadAsync(cancellationToken);
        var distrust = ConfigurationTrust.Distrust(Present, read.Document);
        if (distrust is null && read.Document!.Version > Present.Version)
        {
            distrust = await ProcessAsync(read.Document, cancellationToken);
        }

        if (distrust is not null && Distrust is null)
        {
            logger.ConfigurationDistrusted(distrust);
        }

        Distrust = distrust;
        if (distrust is not null)
        {
            return;
        }

        var told = await TellAsync(cancellationToken);
        if (MayOwn && told && read.Document!.Clusters.Values.Any(c => c.Stage != ClusterStage.Member))
        {
            await ContinueAsync(read, cancellationToken);
        }
    }

    // Either way the store has not said what it holds, and what was processed goes on.
    private static bool IsUnread(GeoException e) => e is GeoUnavailableException or GeoSerializationException;

    private async Task<ConfigurationDocument> FindAsync(
        ConfigurationDocument? known, Func<ConfigurationDocument> first, CancellationToken cancellationToken)
    {
        var read = await documents.ReadAsync(cancellationToken);
        if (ConfigurationTrust.Distrust(known, read.Document) is { } distrust)
        {
            throw CannotStart(distrust);
        }

        if (read.Document is { } found)
        {
            return found;
        }

        var made = first();
        return await documents.ReplaceAsync(read, made, cancellationToken) == DocumentWrite.Applied ? made
            : (await documents.ReadAsync(cancellationToken)).Document
                ?? throw new GeoUnavailableException("The configuration store had a configuration and has none; it is read again later.");
    }

    /// <summary>
    /// Rule C2: stored by the cluster, then worked with, then said. Whoever starts meanwhile works with it too, and nobody believes that it
    /// is worked with before it is.
    /// </summary>
    /// <returns>Null when it is worked with; otherwise why not.</returns>
    private async Task<string?> ProcessAsync(ConfigurationDocument next, CancellationToken cancellationToken)
    {
        if (SwitchedOff.Is(ProtocolRule.ProcessedIsTold))
        {
            _versions!.Tell(next.Version);
        }

        if (!SwitchedOff.Is(ProtocolRule.VersionIsStoredFirst)
            && await stored.RaiseAsync(next, cancellationToken) is { } distrust)
        {
            return distrust;
        }

        _process!(next.ToConfiguration(local));
        Steps.Note(new(time.GetUtcNow(), next.Version, ConfigurationStep.Between(Present, next)));
        Volatile.Write(ref _present, next);
        _versions!.Tell(next.Version);
        logger.ConfigurationProcessed(next.Version, string.Join(", ", next.Clusters.Keys));
        if (!next.Clusters.ContainsKey(local))
        {
            logger.ClusterIsOutside(local, next.Version);
        }

        Processed?.Invoke(next);
        return null;
    }

    /// <summary>Says how far this cluster has come, until all has been said of the present version.</summary>
    /// <returns>True when it has.</returns>
    private async Task<bool> TellAsync(CancellationToken cancellationToken)
    {
        // Each time anew: what was said may have been lost since.
        var (present, mayOwn) = (Present, MayOwn);
        var said = await documents.ProgressOfAsync(local, cancellationToken);
        if (said is { Silos.IsEmpty: false } && said.Behind(present) is null && (mayOwn || said.Held == 0))
        {
            return true;
        }

        var isAhead = said?.Stored > present.Version;
        if (isAhead && !await IsOvertakenAsync(said!, present, cancellationToken))
        {
            return false;
        }

        var silos = await _versions!.ReadAsync(present.Version, cancellationToken);
        var progress = new ClusterProgress(local, present.Version, present.Digest, silos, Held: null);
        if (!mayOwn)
        {
            var (held, why) = _drain!.Next(present.Version, areAll: progress.Behind(present) is null, cancellationToken);
            progress = progress with { Held = held, Why = why };
        }

        await documents.TellAsync(progress, isAhead ? said : null, cancellationToken);
        return false;
    }

    /// <summary>
    /// True of a word about a later version that the store has never had, or has no more: it was set back since. A sibling that is ahead
    /// says what the store had before it did.
    /// </summary>
    private async Task<bool> IsOvertakenAsync(ClusterProgress said, ConfigurationDocument present, CancellationToken cancellationToken) =>
        (await documents.ReadAsync(cancellationToken)).Document is { } now
        && ConfigurationTrust.Distrust(present, now) is null && !said.IsOf(now);

    private static GeoConfigurationException CannotStart(string distrust) => new($"The silo cannot start. {distrust}");

    private async Task ContinueAsync(ReadDocument read, CancellationToken cancellationToken)
    {
        var decision = ConfigurationRules.Continue(read.Document!, await documents.ProgressAsync(cancellationToken));
        if (decision.Next is { } next && await documents.ReplaceAsync(read, next, cancellationToken) == DocumentWrite.Applied)
        {
            Wake();
        }
    }
}
