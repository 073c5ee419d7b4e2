namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>What a history of terms says of a version that a session has seen.</summary>
public sealed class TermMarksTests
{
    [Fact]
    public void A_history_contains_what_was_confirmed_in_its_terms_and_says_what_was_lost()
    {
        Term[] terms = [new(1, new("a"), 1), new(3, new("b"), 2), new(5, new("a"), 3)];
        var log = ReplicaLog.Nothing with { Starts = [new(terms[0], 0), new(terms[1], 10), new(terms[2], 20)], Version = 25 };
        (Term Term, long Version, MarkState State)[] expected =
        [
            (terms[0], 10, MarkState.Contained),
            (terms[0], 11, MarkState.Lost),
            (terms[1], 20, MarkState.Contained),
            (terms[1], 21, MarkState.Lost),
            (terms[2], 25, MarkState.Contained),
            (terms[2], 26, MarkState.Behind),
            (new(2, new("c"), 9), 10, MarkState.Contained),
            (new(2, new("c"), 9), 11, MarkState.Lost),
            (new(5, new("c"), 9), 22, MarkState.Behind),
            (new(6, new("c"), 9), 22, MarkState.Behind),
        ];
        Assert.All(expected, e => Assert.Equal(e.State, TermMarks.StateOf(log, SessionMark.Led(1, new(e.Term, e.Version)))));
    }

    [Fact]
    public void A_history_that_has_forgotten_its_first_terms_does_not_say_that_it_contains_what_they_may_have_lost()
    {
        // The version was lost with the leader of term 1: the next one began at version 3. Then came as many leaders as are kept, and one.
        var log = ReplicaLog.Nothing with { Starts = [new(new(1, new("a"), 1), 0)], Version = 3 };
        for (var counter = 2; counter <= ReplicaLog.MaxStarts + 2; counter++)
        {
            log = log.Begin(new(counter, new("b"), counter)) with { Version = log.Version + 10 };
        }

        MarkState Of(long counter, long version) =>
            TermMarks.StateOf(log, SessionMark.Led(1, new(new(counter, new(counter == 1 ? "a" : "b"), counter), version)));
        Assert.Equal(MarkState.Forgotten, Of(1, 7));
        Assert.Equal(MarkState.Lost, Of(1, log.Version));
        Assert.Equal(MarkState.Contained, Of(ReplicaLog.MaxStarts, log.Starts[^2].Version));
        Assert.Equal(MarkState.Lost, Of(ReplicaLog.MaxStarts, log.Version));
    }
}
