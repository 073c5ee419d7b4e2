using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>
/// Handles one event of <see cref="HyParView"/>: links, joining, and who is a neighbour. What it does as time passes is
/// <see cref="HyParViewUpkeep"/>'s.
/// </summary>
internal sealed class HyParViewTurn(HyParView state, TimeSpan now, Random random) : OverlayTurn(now, random)
{
    public HyParView State { get; set; } = state;

    private HyParViewOptions Options => State.Options;

    private PeerId Me => State.Self.Peer;

    public void Handle(OverlayEvent happened)
    {
        switch (happened)
        {
            case OverlayEvent.JoinAsked join:
                State = State with
                {
                    Contacts = State.Contacts.Contains(join.Contact) ? State.Contacts : State.Contacts.Add(join.Contact),
                    Unmet = State.Unmet.Add(join.Contact),
                    IsJoining = true,
                    JoinUntil = Now + (HyParView.JoinPatience * Options.AskTimeout),
                    NextContact = Now + Options.AskTimeout,
                };
                Do(new OverlayEffect.Connect(join.Contact));
                break;
            case OverlayEvent.LeaveAsked leave when leave.Peer == Me:
                Leave();
                break;
            case OverlayEvent.LeaveAsked leave:
                Expel(leave.Peer, (ulong)Random.NextInt64());
                break;
            case OverlayEvent.LinkUp up:
                OnLinkUp(up.Member);
                break;
            case OverlayEvent.LinkDown down:
                OnLinkDown(down.Member);
                break;
            case OverlayEvent.Received received:
                new HyParViewReader(this).Read(received.From, received.Payload);
                break;
            case OverlayEvent.Tick:
                new HyParViewUpkeep(this).OnTick();
                break;
        }
    }

    /// <summary>A peer joins by this one: it becomes a neighbour, and the others are told of it.</summary>
    public void OnJoin(OverlayMember joiner)
    {
        Activate(joiner);
        Say(joiner.Peer, HyParViewKind.Accept);
        if (joiner.Address is not null)
        {
            foreach (var peer in State.Active.Keys.Where(peer => peer != joiner.Peer))
            {
                ForwardJoin(peer, Options.ActiveWalk, joiner);
            }
        }
    }

    public void OnForwardJoin(PeerId from, int left, OverlayMember joiner)
    {
        if (joiner.Peer == Me || State.Active.ContainsKey(joiner.Peer) || State.HasLeft(joiner))
        {
            return;
        }

        if (left == Options.PassiveWalk)
        {
            State = State.WithPassive(joiner, Random);
        }

        var next = left <= 0 ? [] : State.Active.Keys.Where(peer => peer != from).ToList();
        if (next.Count == 0)
        {
            Ask(joiner, urgent: true);
        }
        else
        {
            ForwardJoin(next[Random.Next(next.Count)], left - 1, joiner);
        }
    }

    public void OnNeighbour(OverlayMember from, bool urgent)
    {
        if (urgent || State.Active.ContainsKey(from.Peer) || State.Active.Count < Options.ActiveMax)
        {
            Activate(from);
            Say(from.Peer, HyParViewKind.Accept);
        }
        else
        {
            Say(from.Peer, HyParViewKind.Reject);
        }
    }

    public void OnAccept(OverlayMember from)
    {
        var wanted = State.Asked.TryGetValue(from.Peer, out var ask);
        if (from.Address is { } address && State.Contacts.Contains(address))
        {
            State = State with { IsJoining = false, Unmet = State.Unmet.Remove(address) };
        }

        if (State.Active.ContainsKey(from.Peer))
        {
            State = State with { Asked = State.Asked.Remove(from.Peer) };
        }
        else if (wanted && (ask!.Urgent || State.Active.Count < Options.ActiveMax))
        {
            Activate(from);
        }
        else
        {
            GiveUp(from);
        }
    }

    /// <summary>The peer has no room, or has given this neighbour up.</summary>
    public void OnRefused(OverlayMember from)
    {
        Deactivate(from.Peer);
        Drop(from.Peer);
        State = State.WithPassive(from, Random);
    }

    public void OnAlive(OverlayMember from)
    {
        if (State.Active.ContainsKey(from.Peer) || State.Asked.ContainsKey(from.Peer))
        {
            return;
        }

        if (State.Active.Count < Options.ActiveMax)
        {
            Activate(from);
        }
        else
        {
            GiveUp(from);
        }
    }

    public void OnLeave(PeerId from, OverlayMember gone)
    {
        if (State.HasLeft(gone) || (gone.Peer == Me && gone.Incarnation < State.Self.Incarnation))
        {
            return;
        }

        State = State.WithGone(gone.Peer, gone.Incarnation);
        TellAll(LeaveMessage(gone), except: from);
        if (State.Linked.TryGetValue(gone.Peer, out var linked) && linked.Incarnation <= gone.Incarnation)
        {
            Deactivate(gone.Peer);
            Drop(gone.Peer);
        }

        State = State with { Passive = Without(State.Passive), Lost = Without(State.Lost), Asked = State.Asked.RemoveRange(Overdue(gone)) };

        ImmutableSortedDictionary<PeerId, OverlayMember> Without(
            ImmutableSortedDictionary<PeerId, OverlayMember> view) =>
            view.TryGetValue(gone.Peer, out var known) && known.Incarnation <= gone.Incarnation ? view.Remove(gone.Peer) : view;
    }

    /// <summary>Passes on the wish that a peer leave; the peer itself does.</summary>
    public void Expel(PeerId peer, ulong wish)
    {
        if (State.Expelled.Contains(wish))
        {
            return;
        }

        if (peer == Me)
        {
            Leave();
            return;
        }

        State = State.WithExpelled(wish);
        TellAll(
            Payload(HyParViewKind.Expel, payload =>
            {
                payload.WriteText(peer.Name);
                payload.WriteUnsigned(wish);
            }),
            except: default);
    }

    /// <summary>A member whose last sign is that it left, and who did not come back since, is not let in again.</summary>
    public bool IsWelcome(OverlayMember member)
    {
        if (!State.HasLeft(member))
        {
            return true;
        }

        Drop(member.Peer);
        return false;
    }

    public void Say(PeerId to, HyParViewKind kind) => Do(new OverlayEffect.Send(to, new[] { (byte)kind }));

    public static PayloadWriter Payload(HyParViewKind kind, Action<PayloadWriter> write)
    {
        var payload = new PayloadWriter();
        payload.WriteByte((byte)kind);
        write(payload);
        return payload;
    }

    private static PayloadWriter LeaveMessage(OverlayMember gone) => Payload(HyParViewKind.Leave, gone.WriteTo);

    private IEnumerable<PeerId> Overdue(OverlayMember gone) =>
        State.Asked.TryGetValue(gone.Peer, out var ask) && ask.Member.Incarnation <= gone.Incarnation ? [gone.Peer] : [];

    private void OnLinkUp(OverlayMember member)
    {
        State = State with { Linked = State.Linked.SetItem(member.Peer, member), Lost = State.Lost.Remove(member.Peer) };
        if (!IsWelcome(member))
        {
            return;
        }

        if (State.Asked.TryGetValue(member.Peer, out var ask))
        {
            SayAsk(ask with { Member = member });
        }
        else if (State.IsJoining || (member.Address is { } address && State.Unmet.Contains(address)))
        {
            SayAsk(new HyParViewAsk(member, HyParViewKind.Join, Urgent: true, Now + Options.AskTimeout));
        }
        else
        {
            State = State with { Idle = State.Idle.SetItem(member.Peer, Now + Options.AskTimeout) };
        }
    }

    private void OnLinkDown(OverlayMember member)
    {
        var wasActive = State.Active.ContainsKey(member.Peer);
        Forget(member.Peer);
        if (member.Address is { } address)
        {
            Do(new OverlayEffect.CancelConnect(address));
        }

        if (wasActive)
        {
            Deactivate(member.Peer);
            State = State.WithLost(member, Random);
            new HyParViewUpkeep(this).Repair();
        }
    }

    /// <summary>Asks a member to be a neighbour, over a link that is made where there is none.</summary>
    public void Ask(OverlayMember member, bool urgent)
    {
        if (member.Address is not { } address || member.Peer == Me || State.Active.ContainsKey(member.Peer))
        {
            return;
        }

        var ask = new HyParViewAsk(member, HyParViewKind.Neighbour, urgent, Now + Options.AskTimeout);
        State = State with { Asked = State.Asked.SetItem(member.Peer, ask) };
        if (State.Linked.ContainsKey(member.Peer))
        {
            SayAsk(ask);
        }
        else
        {
            Do(new OverlayEffect.Connect(address));
        }
    }

    private void SayAsk(HyParViewAsk ask)
    {
        State = State with
        {
            Asked = State.Asked.SetItem(ask.Member.Peer, ask),
            Idle = State.Idle.Remove(ask.Member.Peer),
        };
        Send(ask.Member.Peer, Payload(ask.Kind, payload =>
        {
            if (ask.Kind == HyParViewKind.Neighbour)
            {
                payload.WriteByte(ask.Urgent ? (byte)1 : (byte)0);
            }
        }));
    }

    private void ForwardJoin(PeerId to, int left, OverlayMember joiner) =>
        Send(to, Payload(HyParViewKind.ForwardJoin, payload =>
        {
            payload.WriteUnsigned((ulong)left);
            joiner.WriteTo(payload);
        }));

    private void Activate(OverlayMember member)
    {
        var isNew = !State.Active.ContainsKey(member.Peer);
        if (isNew && State.Active.Count >= Options.ActiveMax)
        {
            GiveUp(State.Active.Values.ElementAt(Random.Next(State.Active.Count)));
        }

        State = State with
        {
            Active = State.Active.SetItem(member.Peer, member),
            Passive = State.Passive.Remove(member.Peer),
            Lost = State.Lost.Remove(member.Peer),
            Asked = State.Asked.Remove(member.Peer),
            Idle = State.Idle.Remove(member.Peer),
        };
        MembersChanged();
    }

    private void Deactivate(PeerId peer)
    {
        if (State.Active.ContainsKey(peer))
        {
            State = State with { Active = State.Active.Remove(peer) };
            MembersChanged();
        }
    }

    // Tells a neighbour, or a peer that takes itself for one, that it is none.
    private void GiveUp(OverlayMember member)
    {
        Deactivate(member.Peer);
        Say(member.Peer, HyParViewKind.Disconnect);
        Drop(member.Peer);
        State = State.WithPassive(member, Random);
    }

    private void Leave()
    {
        TellAll(LeaveMessage(State.Self), except: default);
        foreach (var ask in State.Asked.Values)
        {
            CancelConnect(ask.Member);
        }

        State.Contacts.ForEach(contact => Do(new OverlayEffect.CancelConnect(contact)));
        foreach (var peer in State.Linked.Keys)
        {
            Do(new OverlayEffect.Disconnect(peer));
        }

        Do(new OverlayEffect.Left());
    }

    private void TellAll(PayloadWriter payload, PeerId except)
    {
        foreach (var peer in State.Active.Keys.Where(peer => peer != except))
        {
            Send(peer, payload);
        }
    }

    /// <summary>Has no link with a peer any more.</summary>
    public void Drop(PeerId peer)
    {
        if (State.Linked.ContainsKey(peer))
        {
            Do(new OverlayEffect.Disconnect(peer));
        }

        Forget(peer);
    }

    private void Forget(PeerId peer) => State = State with
    {
        Linked = State.Linked.Remove(peer),
        Asked = State.Asked.Remove(peer),
        Idle = State.Idle.Remove(peer),
    };

    /// <summary>Reaches for a member no longer, unless it is a neighbour.</summary>
    public void CancelConnect(OverlayMember member)
    {
        if (member.Address is { } address && !State.Active.ContainsKey(member.Peer))
        {
            Do(new OverlayEffect.CancelConnect(address));
        }
    }

    private void MembersChanged() => Do(new OverlayEffect.MembersChanged([State.Self, .. State.Active.Values]));
}
