using System.Collections.Immutable;
using Geo.Messaging;
using Geo.Messaging.Overlays;

namespace Geo.Testing.Tests.Overlays;

/// <summary>Members form a ring in the order of their names; each is linked with the two before and the two after it.</summary>
public sealed record RingOverlay(OverlayMember Self) : IMembershipStrategy
{
    private const int Reach = 2;

    // An order that is the same in every process, so that the simulator replays a run.
    private static readonly ImmutableSortedSet<PeerAddress> NoAddresses = ImmutableSortedSet.Create<PeerAddress>(
        Comparer<PeerAddress>.Create((one, other) => string.CompareOrdinal(one.ToString(), other.ToString())));

    public bool Relays => true;

    private MemberSet Members { get; init; } = MemberSet.Empty.Add(Self);

    private ImmutableSortedSet<PeerId> Linked { get; init; } = [];

    private ImmutableSortedSet<PeerAddress> Dialled { get; init; } = NoAddresses;

    public OverlayStep Handle(OverlayEvent happened, Random random) => happened switch
    {
        OverlayEvent.JoinAsked join => new(
            this with { Dialled = Dialled.Add(join.Contact) }, [new OverlayEffect.Connect(join.Contact)]),
        OverlayEvent.LinkUp up => new(
            this with { Linked = Linked.Add(up.Member.Peer) }, [Gossip(up.Member.Peer, [.. Members.Entries.Values])]),
        OverlayEvent.LinkDown down => new(this with { Linked = Linked.Remove(down.Member.Peer) }, []),
        OverlayEvent.Received received => Merge(Read(received.Payload.Span), received.From.Peer),
        OverlayEvent.LeaveAsked leave when Members.Find(leave.Peer) is { } member =>
            Merge([new MemberEntry(member, IsRemoved: true)], Self.Peer),
        OverlayEvent.Tick => Steer(random),
        _ => new(this, []),
    };

    // What is news here is told to all others: each member passes it on once.
    private OverlayStep Merge(IReadOnlyList<MemberEntry> entries, PeerId from)
    {
        var (members, news) = Members.Merge(entries);
        var gone = news.Where(entry => entry.IsRemoved).Select(entry => entry.Member.Peer).ToList();
        List<OverlayEffect> effects =
        [
            .. Linked.Where(peer => peer != from && news.Count > 0).Select(peer => Gossip(peer, news)),
            .. gone.Where(peer => peer != Self.Peer).Select(peer => new OverlayEffect.Disconnect(peer)),
        ];
        if (gone.Contains(Self.Peer))
        {
            effects.AddRange(Linked.Select(peer => new OverlayEffect.Disconnect(peer)));
            effects.AddRange(Dialled.Select(address => new OverlayEffect.CancelConnect(address)));
            effects.Add(new OverlayEffect.Left());
        }
        else if (news.Count > 0)
        {
            effects.Add(new OverlayEffect.MembersChanged(members.Members));
        }

        return new(this with { Members = members, Linked = Linked.Except(gone) }, effects);
    }

    // Dials the neighbours in the ring and, once it hangs in the ring by one of them, lets go of all others.
    private OverlayStep Steer(Random random)
    {
        var ring = Members.Members.Select(member => member.Peer).ToList();
        var neighbours = Members.Members.Where(member => member.Peer != Self.Peer && Distance(member.Peer) <= Reach).ToList();
        var addresses = NoAddresses.Union(neighbours.Select(member => member.Address).OfType<PeerAddress>());
        var others = neighbours.Exists(member => Linked.Contains(member.Peer))
            ? Linked.Except(neighbours.Select(member => member.Peer))
            : [];
        var idle = others.IsEmpty && Linked.IsEmpty ? NoAddresses : Dialled.Except(addresses);

        List<OverlayEffect> effects =
        [
            .. addresses.Except(Dialled).Select(address => new OverlayEffect.Connect(address)),
            .. idle.Select(address => new OverlayEffect.CancelConnect(address)),
            .. others.Select(peer => new OverlayEffect.Disconnect(peer)),
        ];
        if (!Linked.IsEmpty && random.Next(20) == 0)
        {
            effects.Add(Gossip(Linked[random.Next(Linked.Count)], [.. Members.Entries.Values]));
        }

        return new(this with { Dialled = Dialled.Union(addresses).Except(idle), Linked = Linked.Except(others) }, effects);

        int Distance(PeerId peer)
        {
            var apart = Math.Abs(ring.IndexOf(peer) - ring.IndexOf(Self.Peer));
            return Math.Min(apart, ring.Count - apart);
        }
    }

    private static OverlayEffect.Send Gossip(PeerId to, IReadOnlyList<MemberEntry> entries)
    {
        var payload = new PayloadWriter();
        MemberSet.Write(payload, entries);
        return new OverlayEffect.Send(to, payload.ToArray());
    }

    private static IReadOnlyList<MemberEntry> Read(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        return MemberSet.Read(ref reader);
    }
}
