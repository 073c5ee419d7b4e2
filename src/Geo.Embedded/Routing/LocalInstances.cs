using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>The silo's activations, as the directory sees them.</summary>
internal sealed class LocalInstances(string incarnation, Func<ActivationTable> activations, ILogger logger) : ILocalInstances
{
    /// <summary>A cluster of one silo: every other incarnation is gone.</summary>
    public bool IsNodeAlive(string node) => node == incarnation;

    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        if (activations().TryGet(key, out var activation))
        {
            RuntimeLog.Duplicate(logger, key, reason);
            activation.Deactivate(new DeactivationReason(DeactivationReasonCode.DuplicateActivation, reason));
            await activation.Ended;
        }
    }
}
