using Geo.Directory;

namespace Geo.Embedded;

/// <summary>The directory's row of one activation; a grain that is not single-instance has none.</summary>
internal static class InstanceRow
{
    /// <summary>Acquires the row, unless it is elsewhere.</summary>
    /// <returns>
    /// Where the instance may run, null when it needs no row; and the tenancy by which the row is released, 0 while it is not this silo's.
    /// </returns>
    public static async Task<(Placement? Placement, long Tenancy)> AcquireAsync(
        GrainKey key, GrainClass grainClass, SiloContext silo, CancellationToken cancellationToken)
    {
        if (grainClass.Declaration.Instancing != Instancing.GlobalSingle || SwitchedOff.Is(ProtocolRule.AcquireFirst))
        {
            return default;
        }

        var placement = silo.Registration is { } registration
            ? await registration.RegisterAsync(key, grainClass.Declaration.Mode, cancellationToken)
            : await silo.Directory.AcquireAsync(key, silo.Node, grainClass.Declaration.Mode, cancellationToken);
        return (placement, placement.Kind == PlacementKind.Here && placement.Node == silo.Node ? silo.Directory.TenancyOf(key) ?? 0 : 0);
    }

    /// <summary>Gives the row up, if it was acquired.</summary>
    public static async ValueTask ReleaseAsync(GrainKey key, long tenancy, SiloContext silo)
    {
        if (tenancy == 0)
        {
            return;
        }

        try
        {
            await silo.Directory.ReleaseAsync(key, silo.Node, tenancy);
        }
        catch (Exception e)
        {
            // The row stays and says "here"; the next call activates the grain here again, which is right.
            RuntimeLog.ReleaseFailed(silo.Logger, e, key);
        }
    }
}
