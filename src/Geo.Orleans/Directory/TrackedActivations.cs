using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>The activations of single-instance grains on this silo, so that they can be ended from outside and their end be awaited.</summary>
internal sealed class TrackedActivations : IConfigureGrainContextProvider, IConfigureGrainContext
{
    private readonly ConcurrentDictionary<GrainId, IGrainContext> _active = new();

    public bool TryGetConfigurator(GrainType grainType, GrainProperties properties, [NotNullWhen(true)] out IConfigureGrainContext? configurator)
    {
        configurator = properties.Properties.ContainsKey(GlobalSingleProperties.ModeProperty) ? this : null;
        return configurator is not null;
    }

    public void Configure(IGrainContext context)
    {
        _active[context.GrainId] = context;
        _ = context.Deactivated.ContinueWith(
            (_, state) => _active.TryRemove(new(((IGrainContext)state!).GrainId, (IGrainContext)state)),
            context, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>True when this activation is the latest of its grain on this silo.</summary>
    public bool IsCurrent(GrainId grain, ActivationId activation) =>
        _active.TryGetValue(grain, out var context) && context.ActivationId == activation;

    /// <summary>Ends the activation on this silo, if there is one, and waits until its last call has ended.</summary>
    public Task DeactivateAsync(GrainId grain, string reason)
    {
        if (!_active.TryGetValue(grain, out var context))
        {
            return Task.CompletedTask;
        }

        context.Deactivate(new DeactivationReason(DeactivationReasonCode.RuntimeRequested, reason));
        return context.Deactivated;
    }
}
