using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>A server of the client-server overlay: a member of a full mesh of servers that also serves clients.</summary>
internal sealed record ClientServerServer(FullMesh Mesh) : IMembershipStrategy
{
    public OverlayMember Self => Mesh.Self;

    public bool Relays => true;

    /// <summary>The clients with a link to this server.</summary>
    public ImmutableSortedDictionary<PeerId, OverlayMember> Clients { get; init; } = ImmutableSortedDictionary<PeerId, OverlayMember>.Empty;

    public OverlayStep Handle(OverlayEvent happened, Random random)
    {
        var turn = new Turn(this, happened.Now, random);
        turn.Handle(happened);
        return new OverlayStep(turn.State, turn.Effects);
    }

    private sealed class Turn(ClientServerServer state, TimeSpan now, Random random) : OverlayTurn(now, random)
    {
        public ClientServerServer State { get; private set; } = state;

        public void Handle(OverlayEvent happened)
        {
            switch (happened)
            {
                case OverlayEvent.LinkUp { Member: var client } when !IsServer(client):
                    State = State with { Clients = State.Clients.SetItem(client.Peer, client) };
                    Do(new OverlayEffect.Send(client.Peer, Servers()));
                    MembersChanged();
                    break;
                case OverlayEvent.LinkDown { Member: var client } when !IsServer(client):
                    Forget(client.Peer);
                    break;
                case OverlayEvent.Received received:
                    OnReceived(received);
                    break;
                case OverlayEvent.LeaveAsked leave:
                    Remove(leave.Peer, relay: true);
                    break;
                default:
                    InMesh(happened);
                    break;
            }
        }

        private static bool IsServer(OverlayMember member) => member.Tag == ClientServer.ServerTag;

        private void OnReceived(OverlayEvent.Received received)
        {
            var from = received.From;
            var reader = new PayloadReader(received.Payload.Span);
            switch ((ClientServerKind)reader.ReadByte())
            {
                case ClientServerKind.Mesh when IsServer(from):
                    InMesh(received with { Payload = received.Payload[1..] });
                    break;
                case ClientServerKind.Goodbye:
                    Do(new OverlayEffect.Disconnect(from.Peer));
                    Forget(from.Peer);
                    break;
                case ClientServerKind.Remove:
                    // A server asked has asked all the others itself.
                    Remove(OverlayMember.ReadPeer(ref reader), relay: !IsServer(from));
                    break;
                case var kind:
                    throw new GeoSerializationException($"A message of {from} is of the kind {kind}, which no server takes from it.");
            }
        }

        private void Remove(PeerId peer, bool relay)
        {
            if (State.Mesh.Set.Find(peer) is not null)
            {
                InMesh(new OverlayEvent.LeaveAsked(Now, peer));
                return;
            }

            if (State.Clients.ContainsKey(peer))
            {
                Do(new OverlayEffect.Send(peer, new[] { (byte)ClientServerKind.Removed }));
                Do(new OverlayEffect.Disconnect(peer));
                Forget(peer);
            }

            if (relay)
            {
                var payload = new PayloadWriter();
                payload.WriteByte((byte)ClientServerKind.Remove);
                payload.WriteText(peer.Name);
                foreach (var server in State.Mesh.Linked)
                {
                    Send(server, payload);
                }
            }
        }

        private void InMesh(OverlayEvent happened)
        {
            var step = State.Mesh.Handle(happened, Random);
            State = State with { Mesh = (FullMesh)step.Next };
            foreach (var effect in step.Effects)
            {
                switch (effect)
                {
                    case OverlayEffect.Send send:
                        Do(send with { Payload = (byte[])[(byte)ClientServerKind.Mesh, .. send.Payload.Span] });
                        break;
                    case OverlayEffect.MembersChanged:
                        TellClients();
                        MembersChanged();
                        break;
                    case OverlayEffect.Left:
                        TellClients();
                        foreach (var client in State.Clients.Keys)
                        {
                            Do(new OverlayEffect.Disconnect(client));
                        }

                        Do(effect);
                        break;
                    default:
                        Do(effect);
                        break;
                }
            }
        }

        private void Forget(PeerId client)
        {
            if (State.Clients.ContainsKey(client))
            {
                State = State with { Clients = State.Clients.Remove(client) };
                MembersChanged();
            }
        }

        private void TellClients()
        {
            var servers = Servers();
            foreach (var client in State.Clients.Keys)
            {
                Do(new OverlayEffect.Send(client, servers));
            }
        }

        private byte[] Servers()
        {
            var payload = new PayloadWriter();
            payload.WriteByte((byte)ClientServerKind.Servers);
            MemberSet.Write(payload, [.. State.Mesh.Set.Entries.Values]);
            return payload.ToArray();
        }

        private void MembersChanged() => Do(new OverlayEffect.MembersChanged([.. State.Mesh.Set.Members, .. State.Clients.Values]));
    }
}
