namespace Geo.Messaging.Overlays.Tests;

public sealed class MemberSetTests
{
    [Fact]
    public void Replicas_agree_whatever_the_order_and_repetition_of_entries()
    {
        var random = new Random(7);
        for (var round = 0; round < 300; round++)
        {
            var entries = Enumerable.Range(0, 12).Select(_ => new MemberEntry(
                new OverlayMember(new PeerId($"p{random.Next(3)}"), new PeerAddress("host", random.Next(1, 4)), random.Next(3)),
                random.Next(2) == 0)).ToArray();
            var one = MemberSet.Empty.Merge(entries).Set;
            random.Shuffle(entries);
            var other = entries.Concat(entries.Take(5)).Aggregate(MemberSet.Empty, (set, entry) => set.Merge([entry]).Set);

            Assert.Equal(one.Entries, other.Entries);
            Assert.Empty(one.Merge(other.Entries.Values).News);
        }
    }

    [Fact]
    public void A_higher_incarnation_under_a_new_address_replaces_the_lower()
    {
        var set = MemberSet.Empty.Add(Member("a", 1, 10)).Add(Member("a", 2, 20));

        Assert.Equal(new PeerAddress("host", 2), Assert.Single(set.Members).Address);
        Assert.Same(set, set.Add(Member("a", 1, 10)));
    }

    [Fact]
    public void A_removal_takes_out_what_it_has_observed_and_nothing_later()
    {
        var observed = MemberSet.Empty.Add(Member("a", 1, 10));
        var removed = observed.Remove(new PeerId("a"));
        var back = observed.Add(Member("a", 1, 11));

        Assert.Empty(removed.Members);
        Assert.Empty(removed.Add(Member("a", 1, 10)).Members);
        Assert.Single(removed.Merge(back.Entries.Values).Set.Members);
        Assert.Single(back.Merge(removed.Entries.Values).Set.Members);
    }

    [Fact]
    public void Removals_are_forgotten_oldest_first_when_there_are_too_many()
    {
        var entries = Enumerable.Range(1, MemberSet.MaxRemoved + 3)
            .Select(number => new MemberEntry(Member($"p{number}", 1, number), IsRemoved: true));
        var set = MemberSet.Empty.Merge(entries).Set;

        Assert.Equal(MemberSet.MaxRemoved, set.Entries.Count);
        Assert.Equal(4, set.Entries.Values.Min(entry => entry.Member.Incarnation));
    }

    [Fact]
    public void Entries_survive_the_wire_and_damaged_ones_are_refused()
    {
        MemberEntry[] entries =
            [new(Member("a", 1, 10) with { Tag = "server" }, true), new(new OverlayMember(new PeerId("b"), null, 11), false)];
        var payload = new PayloadWriter();
        MemberSet.Write(payload, entries);
        var reader = new PayloadReader(payload.Written.Span);

        Assert.Equal(entries, MemberSet.Read(ref reader));
        for (var length = 0; length < payload.Written.Length; length++)
        {
            var cut = payload.Written[..length];
            Assert.Throws<GeoSerializationException>(() =>
            {
                var damaged = new PayloadReader(cut.Span);
                MemberSet.Read(ref damaged);
            });
        }
    }

    private static OverlayMember Member(string peer, int port, long incarnation) =>
        new(new PeerId(peer), new PeerAddress("host", port), incarnation);
}
