namespace Geo.Messaging.Overlays;

/// <summary>Handles one event of a <see cref="FullMesh"/>.</summary>
internal sealed class FullMeshTurn(FullMesh state, TimeSpan now, Random random) : OverlayTurn(now, random)
{
    public FullMesh State { get; private set; } = state;

    private PeerId Me => State.Self.Peer;

    public void Handle(OverlayEvent happened)
    {
        switch (happened)
        {
            case OverlayEvent.JoinAsked join:
                State = State with { Contacts = State.Contacts.Add(join.Contact), IsJoining = true };
                Do(new OverlayEffect.Connect(join.Contact));
                break;
            case OverlayEvent.LinkUp up when State.Set.Entries.TryGetValue(up.Member.Peer, out var entry)
                && entry.IsRemoved && entry.Member.Incarnation >= up.Member.Incarnation:
                // It does not know yet that it was removed: it is told, and no more.
                Gossip(up.Member.Peer, [entry]);
                Do(new OverlayEffect.Disconnect(up.Member.Peer));
                break;
            case OverlayEvent.LinkUp up:
                State = State with { Linked = State.Linked.Add(up.Member.Peer) };
                Gossip(up.Member.Peer, [.. State.Set.Entries.Values]);
                break;
            case OverlayEvent.LinkDown down:
                State = State with { Linked = State.Linked.Remove(down.Member.Peer) };
                break;
            case OverlayEvent.Received received:
                var reader = new PayloadReader(received.Payload.Span);
                Merge(MemberSet.Read(ref reader), received.From.Peer);
                break;
            case OverlayEvent.LeaveAsked leave when State.Set.Find(leave.Peer) is { } member:
                Merge([new MemberEntry(member, IsRemoved: true)], Me);
                break;
            case OverlayEvent.Tick:
                OnTick();
                break;
        }
    }

    private void Merge(IReadOnlyList<MemberEntry> entries, PeerId from)
    {
        var known = State.Set;
        var room = State.Options.MaxMembers - known.Members.Count;
        var (set, news) = known.Merge(
            entries.Where(entry => known.Entries.ContainsKey(entry.Member.Peer) || entry.IsRemoved || room-- > 0));
        var joining = State.IsJoining && from != Me;
        State = State with { Set = set, IsJoining = State.IsJoining && !joining };
        var aboutMe = news.FirstOrDefault(entry => entry.Member.Peer == Me);
        if (aboutMe is { IsRemoved: true } && !joining)
        {
            Tell(news, from);
            Leave();
            return;
        }

        if (aboutMe is not null)
        {
            news = [.. news.Where(entry => entry.Member.Peer != Me), ComeAfter(aboutMe.Member)];
        }

        if (news.Count == 0)
        {
            return;
        }

        Tell(news, from);
        foreach (var entry in news)
        {
            LetGo(entry, known.Find(entry.Member.Peer));
        }

        Do(new OverlayEffect.MembersChanged(State.Set.Members));
    }

    // The others know an incarnation of this peer that is not behind this one, from before a clock was set back or from a namesake.
    private MemberEntry ComeAfter(OverlayMember past)
    {
        State = State with { Self = State.Self with { Incarnation = past.Incarnation + 1 } };
        State = State with { Set = State.Set.Add(State.Self) };
        return State.Set.Entries[Me];
    }

    private void LetGo(MemberEntry entry, OverlayMember? before)
    {
        if (before?.Address is { } old && (entry.IsRemoved || entry.Member.Address != old))
        {
            State = State with { Dialled = State.Dialled.Remove(old), Contacts = State.Contacts.Remove(old) };
            Do(new OverlayEffect.CancelConnect(old));
        }

        if (entry.IsRemoved)
        {
            State = State with { Linked = State.Linked.Remove(entry.Member.Peer) };
            Do(new OverlayEffect.Disconnect(entry.Member.Peer));
        }
    }

    private void Leave()
    {
        foreach (var peer in State.Linked)
        {
            Do(new OverlayEffect.Disconnect(peer));
        }

        foreach (var address in State.Dialled.Union(State.Contacts).OrderBy(address => address.ToString()))
        {
            Do(new OverlayEffect.CancelConnect(address));
        }

        Do(new OverlayEffect.Left());
    }

    private void OnTick()
    {
        if (Now >= State.NextConnect)
        {
            State = State with { NextConnect = Now + State.Options.ConnectInterval };
            var missing = State.Set.Members.Where(member => member.Peer != Me && member.Address is { } address
                && !State.Linked.Contains(member.Peer) && !State.Dialled.Contains(address)).ToList();
            if (Any(missing)?.Address is { } chosen)
            {
                State = State with { Dialled = State.Dialled.Add(chosen) };
                Do(new OverlayEffect.Connect(chosen));
            }
        }

        if (Now >= State.NextGossip)
        {
            State = State with { NextGossip = Now + State.Options.GossipInterval };
            if (State.Linked.Count > 0)
            {
                Gossip(State.Linked[Random.Next(State.Linked.Count)], [.. State.Set.Entries.Values]);
            }
        }
    }

    private void Tell(IReadOnlyList<MemberEntry> news, PeerId except)
    {
        foreach (var peer in State.Linked.Where(peer => peer != except))
        {
            Gossip(peer, news);
        }
    }

    private void Gossip(PeerId to, IReadOnlyList<MemberEntry> entries)
    {
        var payload = new PayloadWriter();
        MemberSet.Write(payload, entries);
        Send(to, payload);
    }
}
