using Geo.Directory.Tests.Silos;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>What the silos of a cluster remember together, whichever of them is asked.</summary>
public sealed class MoveHistoryTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private static readonly GrainKey Grain = World.Grain;

    private readonly SimulationScheduler _scheduler = new();
    private readonly SiblingNet _net;

    public MoveHistoryTests() => _net = new(_scheduler.Time);

    [Fact]
    public void A_silo_tells_what_its_siblings_did_the_last_first_and_whole() => _scheduler.Run(async () =>
    {
        var (one, two) = (Join("eu/1"), Join("eu/2"));
        one.Journal.Note(Grain, MoveKind.Acquired, default, one.Journal.Here("eu/1"), "first");
        await Task.Delay(Patience, _scheduler.Time);
        two.Journal.Note(Grain, MoveKind.GaveWay, two.Journal.Here("eu/2"), new(new ClusterId("us"), null), "second");
        two.Journal.Note(new("cart", "other"), MoveKind.Released, two.Journal.Here("eu/2"), default, "third");

        var all = await ReadAsync(one, key: null);
        var of = await ReadAsync(one, Grain);

        Assert.Equal(["first", "second", "third"], all.Moves.Select(move => move.Why).Order(StringComparer.Ordinal));
        Assert.Equal([.. two.Journal.Newest(9, Grain), .. one.Journal.Newest(9, Grain)], of.Moves);
        Assert.Equal((0, 0), (of.Forgotten, of.Silent));
        Assert.Single((await ReadAsync(one, Grain, most: 1)).Moves);
    });

    [Fact]
    public void A_sibling_that_does_not_answer_or_cannot_be_understood_is_counted_and_waited_for_no_longer_than_asked() =>
        _scheduler.Run(async () =>
        {
            var one = Join("eu/1");
            Join("eu/2");
            Join("eu/3");
            _net.Crash("eu/2");
            _net.Garble("eu/3", garbles: true);
            one.Journal.Note(Grain, MoveKind.Acquired, default, one.Journal.Here("eu/1"), "own");
            var began = _scheduler.Time.GetTimestamp();

            var read = await ReadAsync(one, Grain);

            Assert.Equal(2, read.Silent);
            Assert.Single(read.Moves);
            Assert.Equal(Patience, _scheduler.Time.GetElapsedTime(began));
        });

    [Fact]
    public void What_silos_have_forgotten_is_told_together() => _scheduler.Run(async () =>
    {
        var (one, two) = (Join("eu/1", capacity: 1), Join("eu/2", capacity: 1));
        foreach (var journal in new[] { one.Journal, one.Journal, two.Journal, two.Journal, two.Journal })
        {
            journal.Note(Grain, MoveKind.Released, journal.Here("eu/1"), default, "");
        }

        Assert.Equal(3, (await ReadAsync(two, Grain)).Forgotten);
    });

    [Fact]
    public void A_move_is_read_as_it_was_written_and_one_of_an_unknown_kind_is_refused()
    {
        var move = new GrainMove(
            new(2026, 1, 2, 3, 4, 5, 6, TimeSpan.Zero), Grain, MoveKind.Lost, new(new ClusterId("eu"), "eu/1"),
            new(new ClusterId("us"), null), "x");
        Assert.Equal(move, Copy(move));
        Assert.Equal(move with { From = default, To = default }, Copy(move with { From = default, To = default }));
        Assert.Throws<GeoSerializationException>(() => Copy(move with { Kind = (MoveKind)200 }));
    }

    private static GrainMove Copy(GrainMove move)
    {
        var writer = new PayloadWriter();
        move.Write(writer);
        var reader = new PayloadReader(writer.Written.Span);
        return GrainMove.Read(ref reader);
    }

    private static Task<RecentMoves> ReadAsync((MoveJournal Journal, MoveHistory History) silo, GrainKey? key, int most = 10) =>
        silo.History.ReadAsync(key, most, Patience, CancellationToken.None).AsTask();

    private (MoveJournal Journal, MoveHistory History) Join(string node, int capacity = 10)
    {
        var member = _net.Join(node);
        var journal = new MoveJournal(new ClusterId("eu"), capacity, _scheduler.Time);
        var fences = new SiloFences(new InMemoryConditionalStore(), Patience, _scheduler.Time, NullLogger.Instance);
        return (journal, new MoveHistory(journal, new SiloLiveness(member, fences, _ => false), member));
    }
}
