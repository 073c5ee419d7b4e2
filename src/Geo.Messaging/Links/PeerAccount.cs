namespace Geo.Messaging;

/// <summary>What one peer holds of a node, over all its links: one that comes back finds what it has left behind counted.</summary>
internal sealed class PeerAccount
{
    public PeerAccount(PeerAccounts all, int maxRunningHandlers)
    {
        Handlers = new CountLimit(maxRunningHandlers);
        (Large, Small) = (all.Large.NewShare(this), all.Small.NewShare(this));
        (Replies, Connections) = (all.Replies.NewShare(this), all.Connections.NewShare(this));
    }

    public CountLimit Handlers { get; }

    public NodeBudget.Share Large { get; }

    public NodeBudget.Share Small { get; }

    public NodeBudget.Share Replies { get; }

    public NodeBudget.Share Connections { get; }
}
