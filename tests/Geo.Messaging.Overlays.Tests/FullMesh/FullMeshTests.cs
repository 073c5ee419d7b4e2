namespace Geo.Messaging.Overlays.Tests;

public sealed class FullMeshTests
{
    private readonly Random _random = new(1);

    [Fact]
    public void New_members_are_dialled_one_an_interval()
    {
        var other = Member("other", 1, 1);
        var mesh = Start(Member("self", 2, 1), new FullMeshOptions());
        (mesh, _) = mesh.Handle(new OverlayEvent.LinkUp(default, other), _random);
        (mesh, _) = mesh.Handle(
            Gossip(other, [other, .. Enumerable.Range(0, 5).Select(number => Member($"m{number}", 10 + number, 1))]), _random);

        var dials = new List<int>();
        for (var milliseconds = 0; milliseconds < 500; milliseconds += 50)
        {
            (mesh, var effects) = mesh.Handle(new OverlayEvent.Tick(TimeSpan.FromMilliseconds(milliseconds)), _random);
            dials.Add(effects.Count(effect => effect is OverlayEffect.Connect));
        }

        Assert.Equal([1, 0, 1, 0, 1, 0, 1, 0, 1, 0], dials);
    }

    [Fact]
    public void A_peer_whose_clock_was_set_back_takes_a_number_above_its_past_self()
    {
        var other = Member("other", 1, 1);
        var mesh = Start(Member("self", 2, 5), new FullMeshOptions());
        (mesh, _) = mesh.Handle(new OverlayEvent.JoinAsked(default, other.Address!), _random);
        (mesh, _) = mesh.Handle(new OverlayEvent.LinkUp(default, other), _random);
        (mesh, var effects) = mesh.Handle(Gossip(other, [other, Member("self", 9, 70)]), _random);

        Assert.Equal(71, mesh.Self.Incarnation);
        Assert.Contains(effects, effect => effect is OverlayEffect.MembersChanged);
    }

    [Fact]
    public void The_members_that_others_name_are_bounded()
    {
        var other = Member("other", 1, 1);
        var mesh = Start(Member("self", 2, 1), new FullMeshOptions { MaxMembers = 3 });
        (_, var effects) = mesh.Handle(
            Gossip(other, [other, .. Enumerable.Range(0, 50).Select(number => Member($"m{number}", 10 + number, 1))]), _random);

        Assert.Equal(3, effects.OfType<OverlayEffect.MembersChanged>().Single().Members.Count);
    }

    private static OverlayEvent.Received Gossip(OverlayMember from, OverlayMember[] members)
    {
        var payload = new PayloadWriter();
        MemberSet.Write(payload, [.. members.Select(member => new MemberEntry(member, IsRemoved: false))]);
        return new OverlayEvent.Received(default, from, payload.ToArray());
    }

    private static IMembershipStrategy Start(OverlayMember self, FullMeshOptions options) =>
        OverlayCatalog.BuiltIn.Create(new OverlayOptions { Overlay = FullMesh.Name, FullMesh = options }, self);

    private static OverlayMember Member(string peer, int port, long incarnation) =>
        new(new PeerId(peer), new PeerAddress("host", port), incarnation);
}
