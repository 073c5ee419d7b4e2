namespace Geo.Messaging;

/// <summary>Why a peer gets no place in the <see cref="LinkTable"/> of a node.</summary>
internal sealed class PlaceRefusals(PeerIdentity local, NodeBudget connections)
{
    public Refusal Stopping => By(RefusalReason.Stopping, $"{local} is stopping");

    public Refusal Self => By(RefusalReason.Self, $"{local} dialled itself; remove its own address from the address list");

    public Refusal Namesake => By(RefusalReason.PeerIdInUse, $"two processes call themselves {local}; give each peer an id of its own");

    public Refusal NotOf(ClusterId expected) =>
        By(RefusalReason.WrongCluster, $"{local} was dialled as an entry point of cluster {expected}; correct the address list");

    public Refusal NotOf(ClusterId expected, PeerIdentity remote) => By(
        RefusalReason.WrongCluster, $"{remote} answered where an entry point of cluster {expected} was expected; correct the address list");

    public Refusal Rival(PeerIdentity remote, PeerIdentity rival) => By(
        RefusalReason.DuplicateClusterId,
        $"two clusters claim the id {remote.Cluster}: that of {rival.Peer} and that of {remote.Peer}; give each cluster an id of "
        + "its own (or, for silos of one cluster, the same ClusterInstance)");

    public Refusal OtherCertificate(PeerIdentity remote, PeerIdentity held) => By(
        RefusalReason.PeerIdInUse,
        $"{remote.Peer} is connected to {local} with a certificate for {held.CertifiedAs}, not for {remote.CertifiedAs}; give the"
        + " two certificates the same name, or the two peers different ones");

    public Refusal Taken(PeerIdentity remote) =>
        By(RefusalReason.AlreadyConnected, $"{local} and {remote} are connected already");

    /// <summary>A further connection belongs to no link, or not to one that still wants it.</summary>
    public Refusal Unwanted(Hello hello) =>
        By(RefusalReason.UnknownLink, $"{local} knows no link of {hello.From} that the connection {hello.Lane} could belong to");

    public Refusal TooMany(int more) => By(
        RefusalReason.TooManyConnections,
        $"{local} has {connections.Held} connections and was asked for {more} more; MaxConnections allows {connections.Most}, and one peer"
        + " no more than are then still free");

    public Refusal NewerStart(PeerIdentity remote) =>
        By(RefusalReason.PeerIdInUse, $"a newer process called {remote.Peer} is connected to {local}; stop one of the two or rename it");

    private Refusal By(RefusalReason reason, string message) => new(reason, message, local.Peer);
}
