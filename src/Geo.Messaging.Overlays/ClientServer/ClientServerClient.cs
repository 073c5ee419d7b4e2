using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>A client of the client-server overlay: keeps links with a few of the servers that it hears of.</summary>
internal sealed record ClientServerClient(OverlayMember Self, ClientServerOptions Options) : IMembershipStrategy
{
    public bool Relays => false;

    /// <summary>The servers, as they gossip them.</summary>
    public MemberSet Servers { get; init; } = MemberSet.Empty;

    public ImmutableSortedSet<PeerId> Linked { get; init; } = [];

    /// <summary>The addresses being dialled, and until when.</summary>
    public ImmutableDictionary<PeerAddress, TimeSpan> Dialled { get; init; } = ImmutableDictionary<PeerAddress, TimeSpan>.Empty;

    public ImmutableList<PeerAddress> Contacts { get; init; } = [];

    public OverlayStep Handle(OverlayEvent happened, Random random)
    {
        var turn = new Turn(this, happened.Now, random);
        turn.Handle(happened);
        return new OverlayStep(turn.State, turn.Effects);
    }

    private sealed class Turn(ClientServerClient state, TimeSpan now, Random random) : OverlayTurn(now, random)
    {
        public ClientServerClient State { get; private set; } = state;

        public void Handle(OverlayEvent happened)
        {
            switch (happened)
            {
                case OverlayEvent.JoinAsked join:
                    State = State with { Contacts = [.. State.Contacts.Where(known => known != join.Contact), join.Contact] };
                    Dial(join.Contact);
                    break;
                case OverlayEvent.LinkUp { Member.Tag: not ClientServer.ServerTag } other:
                    Do(new OverlayEffect.Disconnect(other.Member.Peer));
                    break;
                case OverlayEvent.LinkUp { Member: var server }:
                    State = State with { Linked = State.Linked.Add(server.Peer) };
                    Merge([new MemberEntry(server, IsRemoved: false)]);
                    break;
                case OverlayEvent.LinkDown { Member: var server }:
                    State = State with { Linked = State.Linked.Remove(server.Peer) };
                    StopDialling(server.Address);
                    break;
                case OverlayEvent.Received received:
                    OnReceived(received);
                    break;
                case OverlayEvent.LeaveAsked leave when leave.Peer == State.Self.Peer:
                    foreach (var server in State.Linked)
                    {
                        Do(new OverlayEffect.Send(server, new[] { (byte)ClientServerKind.Goodbye }));
                    }

                    Leave();
                    break;
                case OverlayEvent.LeaveAsked leave when State.Linked.Count > 0:
                    var payload = new PayloadWriter();
                    payload.WriteByte((byte)ClientServerKind.Remove);
                    payload.WriteText(leave.Peer.Name);
                    Send(State.Linked[0], payload);
                    break;
                case OverlayEvent.Tick:
                    OnTick();
                    break;
            }
        }

        private void OnReceived(OverlayEvent.Received received)
        {
            var reader = new PayloadReader(received.Payload.Span);
            switch ((ClientServerKind)reader.ReadByte())
            {
                case ClientServerKind.Servers:
                    Merge(MemberSet.Read(ref reader));

                    // From now on it chooses servers by itself: contacts are for when it is linked with none.
                    State.Contacts.ForEach(StopDialling);
                    break;
                case ClientServerKind.Removed:
                    Leave();
                    break;
                case var kind:
                    throw new GeoSerializationException($"A message of {received.From} is of the kind {kind}, which no client takes.");
            }
        }

        private void Merge(IReadOnlyList<MemberEntry> entries)
        {
            var (servers, news) = State.Servers.Merge(entries);
            State = State with { Servers = servers };
            foreach (var gone in news.Where(entry => entry.IsRemoved))
            {
                StopDialling(gone.Member.Address);
                State = State with { Linked = State.Linked.Remove(gone.Member.Peer) };
                Do(new OverlayEffect.Disconnect(gone.Member.Peer));
            }

            if (news.Count > 0)
            {
                Do(new OverlayEffect.MembersChanged([State.Self, .. State.Servers.Members]));
            }
        }

        private void OnTick()
        {
            var overdue = State.Dialled.Where(dial => Now >= dial.Value).Select(dial => dial.Key);
            foreach (var late in overdue.OrderBy(address => address.ToString()))
            {
                StopDialling(late);
            }

            // An address may be dialled and its link up already: it counts once.
            var linked = State.Servers.Members.Where(server => State.Linked.Contains(server.Peer)).Select(server => server.Address)
                .ToHashSet();
            var dialling = State.Dialled.Keys.Count(address => !linked.Contains(address));
            if (State.Linked.Count + dialling >= State.Options.ServersPerClient)
            {
                return;
            }

            var others = State.Servers.Members.Where(server => !State.Linked.Contains(server.Peer)).Select(server => server.Address)
                .OfType<PeerAddress>();
            var choices = (State.Linked.Count == 0 ? others.Concat(State.Contacts) : others).Distinct()
                .Where(address => !State.Dialled.ContainsKey(address)).ToList();
            if (Any(choices) is { } chosen)
            {
                Dial(chosen);
            }
        }

        private void Dial(PeerAddress address)
        {
            State = State with { Dialled = State.Dialled.SetItem(address, Now + State.Options.ConnectTimeout) };
            Do(new OverlayEffect.Connect(address));
        }

        private void StopDialling(PeerAddress? address)
        {
            if (address is not null)
            {
                State = State with { Dialled = State.Dialled.Remove(address) };
                Do(new OverlayEffect.CancelConnect(address));
            }
        }

        private void Leave()
        {
            foreach (var server in State.Linked)
            {
                Do(new OverlayEffect.Disconnect(server));
            }

            foreach (var address in State.Dialled.Keys.OrderBy(address => address.ToString()))
            {
                Do(new OverlayEffect.CancelConnect(address));
            }

            Do(new OverlayEffect.Left());
        }
    }
}
