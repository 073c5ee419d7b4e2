using Geo.Directory;
using Orleans.GrainDirectory;

namespace Geo.Orleans;

/// <summary>
/// The grain directory of single-instance grains: an activation registers itself here before it loads any state, and is let through only
/// where the global directory says that the instance may run. There is no way to an activation around it.
/// </summary>
internal sealed class GeoGrainDirectory(
    GeoSilo silo, GlobalSingleGrains grains, TrackedActivations activations, PlacementFilters filters, ILocalSiloDetails details,
    IClusterMembershipService membership)
    : IGrainDirectory
{
    /// <summary>The name under which single-instance grain types select this directory.</summary>
    public const string Name = "geo";

    private readonly SiloAddress _localSilo = details.SiloAddress;

    public Task<GrainAddress?> Register(GrainAddress address) => Register(address, null);

    public async Task<GrainAddress?> Register(GrainAddress address, GrainAddress? previousAddress)
    {
        // Orleans may hold the activation's own lock here, which others wait for who hold locks of Geo's.
        await Task.Yield();
        var mode = ModeOf(address.GrainId);
        var key = GrainNames.ToKey(address.GrainId);

        // Orleans names a previous address also where it holds that address's silo for dead; only an activation that has brought the
        // tenancy along is known to have ended there. All others wait until that silo is fenced off. Without a previous address the silo
        // that was called has looked the grain up, and it was nowhere.
        var placement = previousAddress?.SiloAddress is { } previous && activations.TenancyBefore(address.GrainId) is { } tenancy
            ? await silo.Registration.RegisterMovedAsync(key, mode, GrainNames.ToNode(previous), tenancy)
            : await silo.Registration.RegisterAsync(key, mode, isLookedUp: previousAddress is null);
        if (placement.Kind == PlacementKind.Elsewhere)
        {
            throw new GeoRedirectException(placement.Cluster, key);
        }

        if (GrainNames.ToSilo(placement.Node!) is var owner && !owner.Equals(_localSilo))
        {
            return AddressOf(address.GrainId, owner, address.MembershipVersion);
        }

        activations.Begins(address.GrainId, address.ActivationId, silo.Directories.Of(mode).TenancyOf(key));
        return address;
    }

    public async Task Unregister(GrainAddress address)
    {
        // Another silo's rows are its own to release while it lives, and are taken over, not released, when it is dead. And a late call
        // about an earlier activation must not take the row from its successor.
        if (_localSilo.Equals(address.SiloAddress) && activations.Ends(address.GrainId, address.ActivationId))
        {
            await silo.Registration.ReleaseAsync(
                GrainNames.ToKey(address.GrainId), ModeOf(address.GrainId), activations.TenancyOf(address.GrainId, address.ActivationId));
        }
    }

    /// <summary>
    /// Null wherever Orleans should place the grain anew, which leads to <see cref="Register(GrainAddress, GrainAddress?)"/>. Where Orleans
    /// would find no silo for it, which is no reason to refuse the calls of an instance elsewhere, it is looked for here first.
    /// </summary>
    public async Task<GrainAddress?> Lookup(GrainId grainId)
    {
        var (key, mode) = (GrainNames.ToKey(grainId), ModeOf(grainId));
        var found = await silo.Registration.LookupAsync(key, mode);
        if (found?.Kind != PlacementKind.Here && filters.LeaveNone(grainId))
        {
            found ??= await silo.Registration.FindAnewAsync(key, mode);
            if (found is { Kind: PlacementKind.Elsewhere } elsewhere)
            {
                throw new GeoRedirectException(elsewhere.Cluster, key);
            }

            // Where nobody has it, Orleans asks the filters once more, with the call's context.
        }

        return found is { Kind: PlacementKind.Here, Node: { } node }
            ? AddressOf(grainId, GrainNames.ToSilo(node), membership.CurrentSnapshot.Version)
            : null;
    }

    /// <summary>
    /// Nothing to do: the rows of a dead silo are taken over one by one, when their grains are called next, and no cluster can come
    /// between.
    /// </summary>
    public Task UnregisterSilos(List<SiloAddress> siloAddresses) => Task.CompletedTask;

    private SingleInstanceMode ModeOf(GrainId grain) => grains.ModeOf(grain.Type) ?? throw new GeoConfigurationException(
        $"Grain type '{grain.Type}' uses the directory '{Name}' but is not declared [GlobalSingleInstance]; add the attribute.");

    private static GrainAddress AddressOf(GrainId grain, SiloAddress silo, MembershipVersion version) =>
        new() { GrainId = grain, SiloAddress = silo, MembershipVersion = version };
}
