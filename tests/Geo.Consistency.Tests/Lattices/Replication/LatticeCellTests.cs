using Geo.Consistency.Lattices;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What a grain's cell says that it has seen: who lacks any of that is given it.</summary>
public sealed class LatticeCellTests
{
    private static readonly ReplicaId Self = new(1);
    private static readonly ReplicaId Source = new(2);
    private static readonly ReplicaId Giver = new(3);

    private readonly LatticeCell<PnCounter> _cell =
        (LatticeCell<PnCounter>)new LatticeClass<PnCounter>("grain").Create(new GrainKey("grain", "1"));

    /// <summary>A state that stands for updates of one source may hold those of another, which come by themselves later.</summary>
    [Fact]
    public void It_has_seen_an_update_that_comes_after_its_effect()
    {
        var update = PnCounter.Bottom.Add(Source, 1);
        Assert.True(Merge(update.Merge(PnCounter.Bottom.Add(Giver, 5)), VectorClock.Of(Giver, 4), isState: false));

        Assert.False(Merge(update, VectorClock.Of(Source, 3), isState: false));

        Assert.False(_cell.IsCoveredBy(VectorClock.Of(Giver, 4), Self));
        Assert.True(_cell.IsCoveredBy(VectorClock.Of(Giver, 4).Merge(VectorClock.Of(Source, 3)), Self));
    }

    /// <summary>What a page holds beyond what will have come with it is no reason to give the grain to others.</summary>
    [Fact]
    public void Of_a_page_that_changes_nothing_it_has_seen_what_will_have_come_with_it()
    {
        var update = PnCounter.Bottom.Add(Source, 1);
        Assert.True(Merge(update, VectorClock.Of(Giver, 4), isState: true));

        Assert.False(Merge(update, VectorClock.Of(Source, 9), isState: true, known: VectorClock.Of(Source, 3)));

        Assert.False(_cell.IsCoveredBy(VectorClock.Of(Giver, 4), Self));
        Assert.True(_cell.IsCoveredBy(VectorClock.Of(Giver, 4).Merge(VectorClock.Of(Source, 3)), Self));
    }

    private bool Merge(PnCounter value, VectorClock seen, bool isState, VectorClock? known = null)
    {
        var written = new LatticeWriter();
        value.Write(written);
        var reader = new LatticeReader(
            new PayloadReader(written.Body.Written.Span), [.. written.Sources], LatticeLimits.Default.MaxDepth);
        return _cell.Merge(ref reader, seen, isState, known);
    }
}
