using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>What a single-instance grain knows of its ownership.</summary>
public static class GrainTenancyExtensions
{
    /// <summary>
    /// The epoch of this activation's tenancy, for a grain with <see cref="GlobalSingleInstanceAttribute"/>: write it along with what the
    /// grain stores elsewhere, and let nothing with a lower one replace it, so that an activation which does not know yet that another one
    /// has taken its place cannot undo what that one has written.
    /// </summary>
    /// <remarks>
    /// It is the same as long as the activation lives, and has no meaning but its order. With <see cref="SingleInstanceMode.Quorum"/> it is
    /// higher than that of every activation before, whatever happens. With the other modes it begins with the time of the owner's wall
    /// clock: it is higher as far as the clocks of the silos agree, and of two activations in doubt neither knows of the other's.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The grain is no single-instance grain, or has not been registered yet, as in its constructor.
    /// </exception>
    public static long GetTenancyEpoch(this IGrainBase grain)
    {
        ArgumentNullException.ThrowIfNull(grain);
        var context = grain.GrainContext;
        return context.ActivationServices.GetService<TrackedActivations>()?.TenancyOf(context.GrainId, context.ActivationId)
            ?? throw new InvalidOperationException(
                $"{grain.GetType().FullName} has no tenancy: only grains with [GlobalSingleInstance] have one, "
                + "from their registration on.");
    }
}
