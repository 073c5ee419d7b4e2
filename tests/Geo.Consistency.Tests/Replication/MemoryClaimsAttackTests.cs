using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.Replication;

/// <summary>Ways to two memories of a grain in one cluster, or to none, without a silo's end.</summary>
public sealed class MemoryClaimsAttackTests
{
    private static readonly GrainKey Grain = new("notes", "1");

    [Fact]
    public async Task A_memory_that_another_silo_takes_before_the_instance_that_wanted_it_goes_on_is_not_begun_twice()
    {
        var world = new SiblingWorld("x", "y");
        var held = new HeldContext();
        var questions = Held(world);
        var attaching = held.Run(() => world.ExchangeOf("x").AttachAsync(
            Grain, Watcher.On(world.ExchangeOf("x"), Grain), UpdateConfirmation.Default, default, default));
        questions.SetResult();
        await held.Posted;
        Assert.NotNull(world["x"].Find(Grain));
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        await held.EndAsync(attaching);
        Assert.True(
            world["x"].Find(Grain) is null || world["y"].Find(Grain) is null,
            $"x remembers as {world["x"].Find(Grain)?.Replica.Incarnation}, y as {world["y"].Find(Grain)?.Replica.Incarnation}");
    }

    [Fact]
    public async Task A_message_for_a_memory_that_another_silo_takes_before_it_is_answered_begins_none()
    {
        var world = new SiblingWorld("x", "y");
        var held = new HeldContext();
        var message = ReplicaEnvelope.Write(Grain, EnvelopeKind.Memory, new byte[] { 0 });
        var questions = Held(world);
        var answering = held.Run(() => world.ExchangeOf("x").BeginMemoryAsync(
            new ClusterMessage(new("b"), ReplicaExchange.Service, message, true), default).AsTask());
        questions.SetResult();
        await held.Posted;
        Assert.NotNull(world["x"].Find(Grain));
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        await held.EndAsync(answering);
        Assert.NotNull(world["y"].Find(Grain));
        Assert.Null(world["x"].Find(Grain));
    }

    [Fact]
    public async Task A_memory_whose_answer_was_lost_is_kept_while_ten_thousand_other_grains_are_looked_for()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        world.AnswerLost = (asks, _) => asks == "y";
        for (var i = 0; i <= 10_000; i++)
        {
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", i == 0 ? Grain : new("notes", $"other {i}")));
        }

        world.AnswerLost = (_, _) => false;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        Assert.Equal(incarnation, world["y"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task What_a_silo_was_given_before_all_have_answered_is_kept_while_ten_thousand_other_grains_are_looked_for()
    {
        var world = new SiblingWorld("x", "y", "z");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        world.QuestionLost = (asks, asked) => asks == "y" && asked == "z";
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        for (var i = 0; i < 10_000; i++)
        {
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", new("notes", $"other {i}")));
        }

        world.QuestionLost = (_, _) => false;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        Assert.Equal(incarnation, world["y"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task A_silo_that_stops_lets_others_have_what_it_was_given_before_all_had_answered()
    {
        var world = new SiblingWorld("x", "y", "z");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        world.QuestionLost = (asks, asked) => asks == "y" && asked == "z";
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        world.QuestionLost = (_, _) => false;
        await world.MoveAwayAsync("y");
        world.QuestionLost = (_, asked) => asked == "y";
        world.State = (_, node) => node == "y" ? SiloState.Dead : SiloState.Living;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("z", Grain));
        Assert.Equal(incarnation, world["z"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task A_question_that_arrives_after_its_claim_has_ended_takes_nothing_away()
    {
        var world = new SiblingWorld("x", "y");
        var (first, late) = (true, new TaskCompletionSource());
        var arrived = new TaskCompletionSource();
        world.BeforeQuestion = async (_, _) =>
        {
            if (first)
            {
                // The time-out of the question; it arrives later.
                first = false;
                arrived.SetResult();
                await late.Task;
            }
        };
        world.TimesOut = () => true;
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("x", Grain));
        await arrived.Task;
        world.TimesOut = () => false;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("x", Grain));
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        late.SetResult();
        await world.SettledAsync();
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("y", Grain));
        Assert.Equal(incarnation, world["y"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task The_memory_of_a_silo_that_was_fenced_off_does_not_replace_the_one_that_was_begun_since()
    {
        var world = new SiblingWorld("x", "y", "z");
        await world.ClaimAsync("z", Grain);
        world["z"].MayServe = () => false;
        world.State = (viewer, node) => node == "z" && viewer == "y" ? SiloState.Dead : SiloState.Living;
        await world.ClaimAsync("y", Grain);
        var incarnation = world["y"].Find(Grain)!.Replica.Incarnation;
        Assert.NotEqual(incarnation, world["z"].Find(Grain)!.Replica.Incarnation);

        // The news of z's death has not reached x, which may be refused until it has.
        for (var tries = 0; tries < 3 && world["x"].Find(Grain) is null; tries++)
        {
            try
            {
                await world.ClaimAsync("x", Grain);
            }
            catch (GeoUnavailableException)
            {
            }
        }

        world.State = (_, node) => node == "z" ? SiloState.Dead : SiloState.Living;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("x", Grain));
        Assert.Equal(incarnation, world["x"].Find(Grain)!.Replica.Incarnation);
    }

    /// <summary>Questions arrive once it is set: whoever asks has come to wait for the answer by then.</summary>
    private static TaskCompletionSource Held(SiblingWorld world)
    {
        var questions = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        world.BeforeQuestion = (_, _) => questions.Task;
        return questions;
    }

    /// <summary>An activation that is busy: what is to go on there waits.</summary>
    private sealed class HeldContext : SynchronizationContext
    {
        private readonly Queue<(SendOrPostCallback, object?)> _work = [];
        private readonly TaskCompletionSource _posted = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal Task Posted => _posted.Task;

        public override void Post(SendOrPostCallback d, object? state)
        {
            lock (_work)
            {
                _work.Enqueue((d, state));
            }

            _posted.TrySetResult();
        }

        internal T Run<T>(Func<T> work)
        {
            var before = Current;
            SetSynchronizationContext(this);
            try
            {
                return work();
            }
            finally
            {
                SetSynchronizationContext(before);
            }
        }

        internal async Task EndAsync(Task task)
        {
            while (!task.IsCompleted)
            {
                (SendOrPostCallback, object?) next = default;
                lock (_work)
                {
                    _ = _work.TryDequeue(out next);
                }

                if (next.Item1 is { } callback)
                {
                    Run(() =>
                    {
                        callback(next.Item2);
                        return true;
                    });
                }

                await Task.Yield();
            }

            try
            {
                await task;
            }
            catch (GeoException)
            {
                // It may be refused.
            }
        }
    }
}
