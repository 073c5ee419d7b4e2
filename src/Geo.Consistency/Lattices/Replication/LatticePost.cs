namespace Geo.Consistency.Lattices;

/// <summary>Carries what replicas say to each other, between clusters and between the silos of one.</summary>
internal sealed class LatticePost : IDisposable
{
    private readonly IClusterMessenger _messenger;
    private readonly LatticeSiblings? _siblings;
    private readonly string _service;
    private readonly Action<ClusterId> _linkUp;
    private readonly Action<ClusterId> _linkDown;

    // One order for all of a replica's messages to a cluster, on the default channel, which drops none for a newer one (design 0 (2)).
    private readonly PartitionKey _inOrder;
    private readonly IDisposable _registration;
    private readonly IDisposable? _siblingRegistration;

    /// <param name="messenger">Carries messages to other clusters.</param>
    /// <param name="siblings">The other silos of the cluster; null for a silo that is its cluster.</param>
    /// <param name="group">Whose replicas.</param>
    /// <param name="receive">Hears what others say.</param>
    /// <param name="linkUp">Hears that a cluster can be reached.</param>
    /// <param name="linkDown">Hears that one cannot.</param>
    internal LatticePost(
        IClusterMessenger messenger, LatticeSiblings? siblings, LatticeGroup group,
        Action<LatticeAddress, ReadOnlyMemory<byte>> receive, Action<ClusterId> linkUp, Action<ClusterId> linkDown)
    {
        (_messenger, _siblings, _service, _linkUp, _linkDown) = (messenger, siblings, group.Service, linkUp, linkDown);
        _inOrder = PartitionKey.From(_service);
        _registration = messenger.Handle(_service, (message, _) =>
        {
            receive(new(message.From), message.Payload);
            return default;
        });
        _siblingRegistration = siblings?.Handle(receive);
        messenger.LinkUp += linkUp;
        messenger.LinkDown += linkDown;
    }

    internal bool IsReachable(LatticeAddress address) => address.Silo is not null || _messenger.IsLinked(address.Cluster);

    internal void Send(IReadOnlyList<LatticeSend> messages)
    {
        foreach (var send in messages)
        {
            var to = send.To.Cluster;
            if (send.To.Silo is not null)
            {
                _siblings!.Tell(send);
            }
            else if (_messenger.TrySend(to, _service, send.Message, new(PartitionKey: _inOrder)))
            {
                LatticeMetrics.BytesSent.Add(send.Message.Length, new KeyValuePair<string, object?>("cluster", to.Name));
            }
            else
            {
                LatticeMetrics.MessagesUnsent.Add(1);
            }
        }
    }

    public void Dispose()
    {
        _messenger.LinkUp -= _linkUp;
        _messenger.LinkDown -= _linkDown;
        _registration.Dispose();
        _siblingRegistration?.Dispose();
    }
}
