namespace Geo.Messaging;

/// <summary>What both ends of a dial do with an opened link.</summary>
internal sealed class LinkService(NodeContext node, LinkTable links)
{
    /// <summary>Takes a link that is in the table into use, and out of the table when it has ended.</summary>
    /// <returns>Ends with the link.</returns>
    public async Task RunAsync(PeerLink link, string address)
    {
        MessagingLog.LinkUp(node.Logger, link.Remote, address, link.Terms.Version);
        await link.StartAsync();
        var reason = await link.Ended;
        MessagingLog.LinkDown(node.Logger, link.Remote, reason);
        links.Remove(link, reason);
    }
}
