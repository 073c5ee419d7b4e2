using System.Runtime.CompilerServices;

namespace Geo.Directory.Tests;

public sealed class JournalTests
{
    [Fact]
    public void The_newest_entries_stay_and_those_that_gave_way_are_counted()
    {
        var journal = new Journal<int>(3);
        Assert.Empty(journal.Newest(10));
        foreach (var (entry, expected) in new[] { (1, new[] { 1 }), (2, [2, 1]), (3, [3, 2, 1]), (4, [4, 3, 2]), (5, [5, 4, 3]) })
        {
            journal.Note(entry);
            Assert.Equal(expected, journal.Newest(10));
        }

        Assert.Equal(2, journal.Forgotten);
        Assert.Equal([5, 4], journal.Newest(2));
        Assert.Equal([4], journal.Newest(2, entry => entry % 2 == 0));
    }

    [Fact]
    public void One_without_room_remembers_nothing_and_counts()
    {
        var journal = new Journal<int>(0);
        journal.Note(1);
        Assert.Empty(journal.Newest(10));
        Assert.Equal(1, journal.Forgotten);
    }

    [Fact]
    public void A_move_takes_no_more_than_the_options_say() => Assert.True(Unsafe.SizeOf<GrainMove>() <= 80);

    [Fact]
    public void A_long_reason_is_cut_off_and_never_within_a_character()
    {
        var moves = new MoveJournal(new ClusterId("eu"), 10, TimeProvider.System);
        moves.Note(World.Grain, MoveKind.Released, moves.Here("eu/1"), default, new string('x', 299) + "\U0001F600" + "y");
        Assert.Equal(new string('x', 299) + "...", Assert.Single(moves.Newest(10, World.Grain)).Why);
    }
}
