using Geo.Directory;

namespace Geo.Embedded;

/// <summary>The directory's row of one activation; a grain that is not single-instance has none.</summary>
internal sealed class InstanceRow(GrainKey key, GrainClass grainClass, SiloContext silo)
{
    // 0 while the row is not this activation's.
    private long _tenancy;

    /// <summary>Acquires the row, unless it is elsewhere.</summary>
    /// <returns>Where the instance may run; null when it needs no row.</returns>
    public async Task<Placement?> AcquireAsync(CancellationToken cancellationToken)
    {
        if (grainClass.Declaration.Instancing != Instancing.GlobalSingle || SwitchedOff.Is(ProtocolRule.AcquireFirst))
        {
            return null;
        }

        var placement = silo.Registration is { } registration
            ? await registration.RegisterAsync(key, grainClass.Declaration.Mode, cancellationToken)
            : await silo.Directory.AcquireAsync(key, silo.Node, grainClass.Declaration.Mode, cancellationToken);
        if (placement.Kind == PlacementKind.Here && placement.Node == silo.Node)
        {
            Volatile.Write(ref _tenancy, silo.Directory.TenancyOf(key) ?? 0);
        }

        return placement;
    }

    /// <summary>Gives the row up, if it was acquired.</summary>
    public async ValueTask ReleaseAsync()
    {
        if (Volatile.Read(ref _tenancy) is not 0 and var tenancy)
        {
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
}
