using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>
/// Says under what an activation of a single-instance grain may serve: the silo's lease among the silos of its cluster, or, of a grain that
/// is owned by majority, the lease that its tenancy names.
/// </summary>
internal sealed class TenancyGuards(IServiceProvider services, GlobalSingleGrains singles)
{
    /// <summary>The guard of an activation, which is made before it is registered; null where none is needed.</summary>
    public ILeaseGuard? For(GrainId grain) => singles.ModeOf(grain.Type) switch
    {
        null => null,
        SingleInstanceMode.Quorum =>
            new OfTenancy(() => services.GetRequiredService<GeoSilo>().Directories.Quorum, GrainNames.ToKey(grain)),
        _ => services.GetRequiredService<ILeaseGuard>(),
    };

    /// <summary>That of the tenancy which the activation has when it is first asked: never a later one.</summary>
    private sealed class OfTenancy(Func<QuorumDirectory?> directory, GrainKey key) : ILeaseGuard
    {
        private ILeaseGuard? _guard;

        public bool MayServe => Found is { MayServe: true };

        public ValueTask<bool> MayServeSoonAsync() => Found?.MayServeSoonAsync() ?? new(false);

        private ILeaseGuard? Found
        {
            get
            {
                if (Volatile.Read(ref _guard) is null && directory()?.HeldOf(key) is { } held)
                {
                    Interlocked.CompareExchange(ref _guard, held.Guard, null);
                }

                return Volatile.Read(ref _guard);
            }
        }
    }
}
