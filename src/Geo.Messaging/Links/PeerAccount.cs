namespace Geo.Messaging;

/// <summary>What one peer holds of a node, over all its links: one that comes back finds what it has left behind counted.</summary>
internal sealed class PeerAccount(NodeBudgets all, int maxRunningHandlers)
{
    /// <summary>The handlers that run for it.</summary>
    public CountLimit Handlers { get; } = new(maxRunningHandlers);

    public NodeBudget.Share Large { get; } = all.Large.NewShare();

    public NodeBudget.Share Small { get; } = all.Small.NewShare();

    public NodeBudget.Share Replies { get; } = all.Replies.NewShare();

    public NodeBudget.Share Connections { get; } = all.Connections.NewShare();
}
