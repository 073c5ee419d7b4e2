namespace Geo.Messaging;

/// <summary>What all peers together may take at a node.</summary>
internal sealed class NodeBudgets(MessagingOptions options)
{
    /// <summary>
    /// Bytes of large messages, and of small ones that follow them, from their first piece until their handlers have ended.
    /// </summary>
    public NodeBudget Large { get; } = new(options.MaxLargeBytes);

    /// <summary>Bytes of other messages, from their arrival until their handlers have ended.</summary>
    public NodeBudget Small { get; } = new(options.MaxSmallBytes);

    /// <summary>Bytes of replies that have not been sent.</summary>
    public NodeBudget Replies { get; } = new(options.MaxReplyBytes);

    /// <summary>Accepted connections of links that are open.</summary>
    public NodeBudget Connections { get; } = new(options.MaxConnections);
}
