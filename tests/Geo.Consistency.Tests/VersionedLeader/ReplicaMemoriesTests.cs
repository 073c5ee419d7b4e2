using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.VersionedLeader;

public sealed class ReplicaMemoriesTests
{
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");

    [Fact]
    public void The_memory_used_longest_ago_makes_room_and_answers_nothing_any_more()
    {
        using var memories = Create(new() { MaxParked = 2 });
        var first = memories.GetOrCreate(Key(1));
        memories.GetOrCreate(Key(2));
        memories.Find(Key(1));
        memories.GetOrCreate(Key(3));

        Assert.Same(first, memories.Find(Key(1)));
        Assert.Null(memories.Find(Key(2)));
        var dropped = memories.GetOrCreate(Key(3));
        memories.GetOrCreate(Key(4));
        memories.GetOrCreate(Key(5));
        Assert.Throws<GeoUnavailableException>(() => dropped.Present());
        Assert.NotEqual(dropped.Replica.Incarnation, memories.GetOrCreate(Key(3)).Replica.Incarnation);
    }

    [Fact]
    public void What_is_remembered_of_grains_that_are_not_active_is_bounded_by_bytes_too()
    {
        using var memories = Create(new() { MaxParkedBytes = 2_500 });
        for (var i = 1; i <= 3; i++)
        {
            Grow(memories.GetOrCreate(Key(i)), 1_000);
        }

        Assert.Null(memories.Find(Key(1)));
        Assert.NotNull(memories.Find(Key(3)));
        Grow(memories.Find(Key(2))!, 2_000);
        Assert.Null(memories.Find(Key(3)));
        Grow(memories.Find(Key(2))!, 9_000);
        Assert.NotNull(memories.Find(Key(2)));
        Grow(memories.Find(Key(2))!, 100);
        var watcher = new Watcher();
        var active = memories.TryAttach(Key(2), watcher, UpdateConfirmation.Default)!;
        Grow(memories.GetOrCreate(Key(4)), 2_000);
        Grow(active, 600);
        Assert.NotNull(memories.Find(Key(4)));
        memories.Detach(active, watcher);
        Assert.Null(memories.Find(Key(4)));
    }

    [Fact]
    public void The_memory_of_an_active_grain_stays()
    {
        using var memories = Create(new() { MaxParked = 1 });
        var watcher = new Watcher();
        var active = memories.TryAttach(Key(1), watcher, UpdateConfirmation.Default)!;
        memories.GetOrCreate(Key(2));
        memories.GetOrCreate(Key(3));
        Assert.Same(active, memories.Find(Key(1)));
        memories.Detach(active, watcher);
        Assert.Same(active, memories.Find(Key(1)));
        memories.GetOrCreate(Key(4));
        Assert.Null(memories.Find(Key(1)));
    }

    [Fact]
    public void A_grain_that_becomes_active_at_the_bound_takes_no_room_from_those_that_are_not()
    {
        using var memories = Create(new() { MaxParked = 2 });
        var first = memories.GetOrCreate(Key(1));
        memories.GetOrCreate(Key(2));
        memories.TryAttach(Key(3), new Watcher(), UpdateConfirmation.Default);
        Assert.Same(first, memories.Find(Key(1)));
    }

    [Fact]
    public void A_memory_that_moves_keeps_its_promises_and_leaves_nothing_behind()
    {
        using var memories = Create(new());
        var configuration = new ReplicaConfiguration(1, [A, B], []);
        var (replica, ask) = LeaderElection.AskFor(new(B, 7), configuration, 0)!.Value;
        var memory = memories.GetOrCreate(Key(1));
        memory.Answer(B, (byte[])[.. ElectionCodec.Write(ask), ConfirmationCodec.Encode(UpdateConfirmation.Leader)]);
        var moved = memories.TakeOut(Key(1), out var isInUse);

        Assert.False(isInUse);
        Assert.Null(memories.Find(Key(1)));
        Assert.Throws<GeoUnavailableException>(() => memory.Present());
        var (read, confirmation) = MemoryCodec.Read(MemoryCodec.Write(moved!.Replica, moved.Confirmation));
        Assert.Equal((ask.Term, UpdateConfirmation.Leader, 7L), (read.Promised, confirmation, read.Known.GetValueOrDefault(B)));
        Assert.Equal(memory.Replica.Incarnation, read.Incarnation);
        Assert.False(read.IsSeated);
        Assert.Equal(replica.Promised, read.Promised);
    }

    [Fact]
    public void A_silo_without_its_lease_answers_nothing()
    {
        using var memories = Create(new());
        var memory = memories.GetOrCreate(Key(1));
        memories.MayServe = () => false;
        Assert.Throws<GeoUnavailableException>(() => memory.Present());
    }

    [Fact]
    public void A_former_cluster_needs_a_name_that_can_be() =>
        Assert.Contains(
            "FormerClusters", Assert.Throws<GeoConfigurationException>(() => Create(new() { FormerClusters = ["no name"] })).Message,
            StringComparison.Ordinal);

    private static void Grow(ReplicaMemory memory, int bytes) => memory.Change(
        r => (r with { Log = r.Log with { State = new byte[bytes] } } is var next ? next with { Shown = next.Log } : r, true));

    private static GrainKey Key(int i) => new("notes", $"{i}");

    private static ReplicaMemories Create(VersionedLeaderOptions options) => new(
        A, () => [A, B], options, new Random(1), new VirtualTime(), (_, _, _, _) => new(ClusterReply.Refused("nobody")), _ => { });
}
