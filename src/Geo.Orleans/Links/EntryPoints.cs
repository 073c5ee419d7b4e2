using System.Net;
using System.Net.Sockets;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>
/// Where silos of the other clusters are dialled: the addresses of the settings, a name standing for all addresses behind it. Both are
/// looked at again while the silo runs.
/// </summary>
internal sealed class EntryPoints(
    IOptionsMonitor<GeoOrleansOptions> options, ConfigurationSource configuration, IHostNames names, TimeProvider time,
    ILogger<EntryPoints> logger)
{
    private readonly Alarm _alarm = new(time);
    private readonly Dictionary<string, IPAddress[]> _known = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Finds the entry points of each cluster as they are now. A name that cannot be resolved keeps what it stood for last.
    /// </summary>
    public async Task<Dictionary<ClusterId, IReadOnlyList<PeerAddress>>> FindAsync(CancellationToken cancellationToken)
    {
        var found = new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>();
        foreach (var (cluster, addresses) in Named())
        {
            var entryPoints = new List<PeerAddress>();
            foreach (var address in addresses)
            {
                entryPoints.AddRange(await ResolveAsync(PeerAddress.Parse(address), cancellationToken));
            }

            found[cluster] = [.. entryPoints.Distinct()];
        }

        return found;
    }

    /// <summary>Has the links follow the entry points until cancelled.</summary>
    public async Task KeepFreshAsync(ClusterMessenger links, CancellationToken cancellationToken)
    {
        var refresh = options.CurrentValue.EntryPointRefresh;
        await using var stop = cancellationToken.Register(_alarm.Ring);
        while (true)
        {
            await _alarm.SleepAsync(refresh);
            _alarm.Set();
            if (cancellationToken.IsCancellationRequested)
            {
                return;
            }

            try
            {
                links.UseEntryPoints(await FindAsync(cancellationToken));
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                return;
            }
#pragma warning disable CA1031 // Settings are read and names resolved by code of others; whatever it throws, the next look may be better.
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
            {
                // Settings were changed while the silo runs, and do not hold or cannot be read: the links stay as they are.
                logger.EntryPointsUnusable(e);
            }
        }
    }

    /// <summary>Looks again now: the configuration has changed.</summary>
    public void Wake() => _alarm.Ring();

    private IEnumerable<(ClusterId Cluster, IEnumerable<string> Addresses)> Named() => configuration.IsLive
        ? configuration.EntryPoints.Select(c => (c.Key, c.Value.AsEnumerable()))
        : options.CurrentValue.Clusters.Select(c => (new ClusterId(c.Key), c.Value.AsEnumerable()));

    private async Task<IEnumerable<PeerAddress>> ResolveAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        // A listener whose certificate is checked for the name that was dialled has to be dialled by it.
        if (address.IsLoopback || IPAddress.TryParse(address.Host, out _) || options.CurrentValue.Tls is { ListenerName: null })
        {
            return [address];
        }

        try
        {
            _known[address.Host] = await names.ResolveAsync(address.Host, cancellationToken);
        }
        catch (SocketException e)
        {
            logger.EntryPointUnresolved(address.Host, e.Message);
        }

        // What was never resolved is dialled by its name, which resolves it anew with each attempt.
        return _known.TryGetValue(address.Host, out var known) && known.Length > 0
            ? known.Select(ip => new PeerAddress(ip.ToString(), address.Port))
            : [address];
    }
}
