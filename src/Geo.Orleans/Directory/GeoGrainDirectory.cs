using Geo.Directory;
using Microsoft.Extensions.Options;
using Orleans.GrainDirectory;

namespace Geo.Orleans;

/// <summary>
/// The grain directory of single-instance grains: an activation registers itself here before it loads any state, and is let through only
/// where the global directory says that the instance may run. There is no way to an activation around it.
/// </summary>
/// <remarks>
/// Rows name the silo, not the activation: Orleans itself keeps at most one activation of a grain on a silo.
/// </remarks>
internal sealed class GeoGrainDirectory(
    GeoSilo silo, GlobalSingleGrains grains, SiloLiveness liveness, TrackedActivations activations, ILocalSiloDetails details,
    IOptions<GeoOrleansOptions> options, TimeProvider time)
    : IGrainDirectory
{
    /// <summary>The name under which single-instance grain types select this directory.</summary>
    public const string Name = "geo";

    private readonly SiloAddress _localSilo = details.SiloAddress;
    private readonly string _localNode = GrainNames.ToNode(details.SiloAddress);

    public Task<GrainAddress?> Register(GrainAddress address) => Register(address, null);

    public async Task<GrainAddress?> Register(GrainAddress address, GrainAddress? previousAddress)
    {
        var mode = grains.ModeOf(address.GrainId.Type)
            ?? throw new GeoConfigurationException(
                $"Grain type '{address.GrainId.Type}' uses the directory '{Name}' but is not declared [GlobalSingleInstance]; add the attribute.");
        var key = GrainNames.ToKey(address.GrainId);
        if (previousAddress?.SiloAddress is { } previous && !previous.Equals(_localSilo))
        {
            // A migration: the row changes its node, and the grain stays this cluster's. If the grain was activated anew meanwhile where it
            // came from, that tenancy is another one, and what arrives here is the duplicate.
            await silo.Directory.MoveAsync(key, GrainNames.ToNode(previous), _localNode, activations.TenancyBefore(address.GrainId));
        }

        using var limit = new CancellationTokenSource(options.Value.TakeoverTimeout, time);
        while (true)
        {
            var placement = await silo.Directory.AcquireAsync(key, _localNode, mode);
            if (placement.Kind == PlacementKind.Elsewhere)
            {
                throw new GeoRedirectException(placement.Cluster, key);
            }

            if (placement.Node == _localNode)
            {
                return address;
            }

            var owner = GrainNames.ToSilo(placement.Node!);
            if (liveness.MayBeCalled(owner))
            {
                return AddressOf(address.GrainId, owner, address.MembershipVersion);
            }

            try
            {
                // The silo is dead, but has not been fenced off for long enough. Then the next round takes the grain over.
                await liveness.WaitUntilClearAsync(owner, limit.Token);
            }
            catch (OperationCanceledException)
            {
                throw new GeoUnavailableException(
                    $"Grain '{key}' belongs to silo {owner}, which is gone but could not be fenced off within {options.Value.TakeoverTimeout}; try again.");
            }
        }
    }

    public async Task Unregister(GrainAddress address)
    {
        // Another silo's rows are its own to release while it lives, and are taken over, not released, when it is dead. And a late call about
        // an earlier activation must not take the row from its successor.
        if (_localSilo.Equals(address.SiloAddress) && activations.IsCurrent(address.GrainId, address.ActivationId))
        {
            await silo.Directory.ReleaseAsync(GrainNames.ToKey(address.GrainId), _localNode);
        }
    }

    /// <summary>Null wherever Orleans should place the grain anew, which leads to <see cref="Register(GrainAddress, GrainAddress?)"/>.</summary>
    public async Task<GrainAddress?> Lookup(GrainId grainId)
    {
        var placement = await silo.Directory.LookupAsync(GrainNames.ToKey(grainId));
        return placement is { Kind: PlacementKind.Here, Node: { } node } && GrainNames.ToSilo(node) is var owner && liveness.MayBeCalled(owner)
            ? AddressOf(grainId, owner, liveness.Version)
            : null;
    }

    /// <summary>Nothing to do: the rows of a dead silo are taken over one by one, when their grains are called next, and no cluster can come between.</summary>
    public Task UnregisterSilos(List<SiloAddress> siloAddresses) => Task.CompletedTask;

    private static GrainAddress AddressOf(GrainId grain, SiloAddress silo, MembershipVersion version) =>
        new() { GrainId = grain, SiloAddress = silo, MembershipVersion = version };
}
