using Geo.Directory;

namespace Geo.Embedded;

/// <summary>The directory's row of one activation; a grain that is not single-instance has none.</summary>
internal static class InstanceRow
{
    /// <summary>Acquires the row, unless it is elsewhere.</summary>
    /// <returns>
    /// Where the instance may run, null when it needs no row; the tenancy by which the row is released, 0 while it is not this silo's; and
    /// what says before each of its turns whether it may still serve, null where nothing need.
    /// </returns>
    public static async Task<(Placement? Placement, long Tenancy, ILeaseGuard? Guard)> AcquireAsync(
        GrainKey key, GrainClass grainClass, SiloContext silo, CancellationToken cancellationToken)
    {
        if (grainClass.Declaration.Instancing != Instancing.GlobalSingle || SwitchedOff.Is(ProtocolRule.AcquireFirst))
        {
            return default;
        }

        var mode = grainClass.Declaration.Mode;
        var directory = silo.Directories.Of(mode);
        while (true)
        {
            var placement = silo.Registration is { } registration
                ? await registration.RegisterAsync(key, mode, cancellationToken: cancellationToken)
                : await directory.AcquireAsync(key, silo.Node, mode, cancellationToken);
            if (placement.Kind == PlacementKind.Elsewhere || placement.Node != silo.Node)
            {
                return (placement, 0, null);
            }

            if (mode != SingleInstanceMode.Quorum)
            {
                return (placement, directory.TenancyOf(key) ?? 0, silo.Guard);
            }

            // A lease may be over before its grain was looked at.
            if (silo.Directories.Quorum!.HeldOf(key) is { } held)
            {
                return (placement, held.Epoch, held.Guard);
            }
        }
    }

    /// <summary>Gives the row up, if it was acquired.</summary>
    public static async ValueTask ReleaseAsync(GrainKey key, GrainClass grainClass, long tenancy, SiloContext silo)
    {
        if (tenancy == 0)
        {
            return;
        }

        try
        {
            await silo.Directories.Of(grainClass.Declaration.Mode).ReleaseAsync(key, silo.Node, tenancy);
        }
        catch (Exception e)
        {
            // The row stays and says "here"; the next call activates the grain here again, which is right.
            RuntimeLog.ReleaseFailed(silo.Logger, e, key);
        }
    }
}
