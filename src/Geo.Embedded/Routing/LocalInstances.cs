using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>The silo's activations, as the directory sees them where this silo is its cluster.</summary>
internal sealed class LocalInstances(
    string incarnation, Func<ActivationTable> activations, ILogger logger) : ILocalInstances, IInstanceTable
{
    public string Node => incarnation;

    /// <summary>A cluster of one silo: every other incarnation is gone.</summary>
    public NodeState StateOf(string node) => node == incarnation ? NodeState.Living : NodeState.Gone;

    /// <summary>Each life of the silo is one of its cluster.</summary>
    public long Incarnation { get; } = unchecked((long)PartitionKey.From(incarnation).Low);

    public bool Has(GrainKey key) => activations().TryGet(key, out _);

    /// <summary>There is no other node.</summary>
    public ValueTask<TenancyUse> UsesAsync(
        string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken) => default;

    public ValueTask DeactivateAsync(GrainKey key, string reason) => new(((IInstanceTable)this).DeactivateAsync(key, reason));

    async Task IInstanceTable.DeactivateAsync(GrainKey key, string reason)
    {
        if (activations().TryGet(key, out var activation))
        {
            RuntimeLog.Duplicate(logger, key, reason);
            activation.Deactivate(new DeactivationReason(DeactivationReasonCode.DuplicateActivation, reason));
            await activation.Ended;
        }
    }

    Task IInstanceTable.LoseAsync(GrainKey key, string reason)
    {
        if (activations().TryGet(key, out var activation))
        {
            activation.Lose(LeaseRefusals.NotConfirmed(key));
        }

        return ((IInstanceTable)this).DeactivateAsync(key, reason);
    }
}
