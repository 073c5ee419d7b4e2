using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.Replication;

/// <summary>A cluster of several silos has one memory of a grain.</summary>
public sealed class MemoryClaimsTests
{
    private static readonly GrainKey Grain = new("notes", "1");

    [Fact]
    public async Task A_memory_moves_to_the_silo_that_needs_it_as_it_is()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        await world.ClaimAsync("y", Grain);
        Assert.Null(world["x"].Find(Grain));
        Assert.Equal(incarnation, world["y"].Find(Grain)!.Replica.Incarnation);
    }

    [Theory]
    [InlineData("x", "y")]
    [InlineData("y", "x")]
    public async Task While_it_is_on_its_way_no_other_one_begins(string from, string to)
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync(from, Grain);
        var incarnation = world[from].Find(Grain)!.Replica.Incarnation;
        var (given, arrives) = (new TaskCompletionSource(), new TaskCompletionSource());
        world.BeforeAnswer = node =>
        {
            given.TrySetResult();
            return node == from ? arrives.Task : Task.CompletedTask;
        };
        var moving = world.ClaimAsync(to, Grain);
        await given.Task;
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync(from, Grain));
        arrives.SetResult();
        await moving;
        Assert.Null(world[from].Find(Grain));
        Assert.Equal(incarnation, world[to].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task A_memory_whose_move_failed_is_with_the_silo_that_asked_which_gets_it_before_another_one_begins()
    {
        var (world, incarnation) = await GivenAndLostAsync("x", "y");
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("x", Grain));
        world.AnswerLost = (_, _) => false;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("x", Grain));
        Assert.Equal(incarnation, world["x"].Find(Grain)!.Replica.Incarnation);
        Assert.Null(world["y"].Find(Grain));
    }

    [Fact]
    public async Task A_third_silo_begins_no_memory_while_one_may_have_been_given_to_another_one_that_does_not_try_again()
    {
        var (world, incarnation) = await GivenAndLostAsync("x", "y", "z");
        world.AnswerLost = (_, _) => false;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("z", Grain));
        Assert.Equal(incarnation, world["z"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task What_was_given_arrives_although_the_caller_has_given_up()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        var (given, arrives) = (new TaskCompletionSource(), new TaskCompletionSource());
        world.BeforeAnswer = _ =>
        {
            if (world["x"].Find(Grain) is not null)
            {
                return Task.CompletedTask;
            }

            given.TrySetResult();
            return arrives.Task;
        };
        using var caller = new CancellationTokenSource();
        var moving = world.ClaimAsync("y", Grain, caller.Token);
        await given.Task;
        await caller.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => moving);
        arrives.SetResult();
        world.BeforeAnswer = _ => Task.CompletedTask;
        await SiblingWorld.UntilAsync(() => world.ClaimAsync("x", Grain));
        Assert.Equal(incarnation, world["x"].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task A_memory_in_use_stays()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        world["x"].TryAttach(Grain, Watcher.On(world.ExchangeOf("x"), Grain), UpdateConfirmation.Default);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        Assert.NotNull(world["x"].Find(Grain));
        Assert.Null(world["y"].Find(Grain));
    }

    /// <summary>
    /// ATK9: who is asked to leave may wait for a lock of its host (Orleans' ActivationData.Deactivate takes the activation's own): nothing
    /// of Geo's is held meanwhile.
    /// </summary>
    [Fact]
    public async Task Who_is_asked_to_leave_holds_up_no_other_grain()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        using var asked = new ManualResetEventSlim();
        using var locked = new ManualResetEventSlim();
        var watcher = new Watcher();
        world.ExchangeOf("x").Register(Grain, watcher, TaskScheduler.Default, _ =>
        {
            asked.Set();
            locked.Wait(TimeSpan.FromSeconds(20));
        });
        world["x"].TryAttach(Grain, watcher, UpdateConfirmation.Default);
        var claim = Task.Run(() => world.ClaimAsync("y", Grain), TestContext.Current.CancellationToken);
        Assert.True(asked.Wait(TimeSpan.FromSeconds(5), TestContext.Current.CancellationToken));
        try
        {
            await Task.Run(() => world.ClaimAsync("x", new("notes", "another")), TestContext.Current.CancellationToken)
                .WaitAsync(TimeSpan.FromSeconds(5), TestContext.Current.CancellationToken);
        }
        finally
        {
            locked.Set();
            await Assert.ThrowsAsync<GeoUnavailableException>(() => claim);
        }
    }

    /// <summary>A silo that is fenced off and lives refuses whoever asks it, and has nothing that counts.</summary>
    [Fact]
    public async Task A_memory_begins_anew_where_the_silo_that_had_it_is_fenced_off_though_it_passes_for_a_member()
    {
        var world = new SiblingWorld("x", "y", "z");
        await world.ClaimAsync("x", Grain);
        world["x"].MayServe = () => false;
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));

        world.IsGone = (_, node) => node == "x";
        await world.ClaimAsync("y", Grain);

        Assert.NotNull(world["y"].Find(Grain));
    }

    [Fact]
    public async Task A_silo_that_is_fenced_off_while_it_is_asked_has_nothing()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        world.AnswerLost = (_, node) => node == "x";
        world.BeforeAnswer = node =>
        {
            world.IsGone = (_, other) => other == "x";
            return Task.CompletedTask;
        };

        await world.ClaimAsync("y", Grain);

        Assert.NotNull(world["y"].Find(Grain));
    }

    [Fact]
    public async Task What_may_have_been_taken_from_a_silo_is_looked_for_anew_once_it_is_fenced_off()
    {
        var (world, _) = await GivenAndLostAsync("x", "y");

        world.IsGone = (_, node) => node == "x";
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        await world.ClaimAsync("y", Grain);

        Assert.NotNull(world["y"].Find(Grain));
    }

    [Fact]
    public async Task A_silo_without_a_lease_hands_nothing_over()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        world["x"].MayServe = () => false;
        var asked = 0;
        world.BeforeQuestion = (_, _) => Task.FromResult(asked++);

        await world.MoveAwayAsync("x");

        Assert.Equal(0, asked);
    }

    /// <summary>Seed 410022531: the only silo that had confirmed an update stopped, and the memory ended with it.</summary>
    [Fact]
    public async Task A_silo_that_stops_brings_what_another_one_asked_for_and_never_got()
    {
        var (world, incarnation) = await GivenAndLostAsync("x", "y");

        await world.MoveAwayAsync("x");

        Assert.Equal(incarnation, world["y"].Find(Grain)?.Replica.Incarnation);
        Assert.Empty(world["x"].Given.All);
    }

    [Fact]
    public async Task What_is_brought_while_its_answer_is_still_waited_for_comes_once()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        var (given, arrives) = (new TaskCompletionSource(), new TaskCompletionSource());
        world.BeforeAnswer = _ =>
        {
            if (world["x"].Find(Grain) is not null || given.Task.IsCompleted)
            {
                return Task.CompletedTask;
            }

            given.TrySetResult();
            return arrives.Task;
        };
        var moving = world.ClaimAsync("y", Grain);
        await given.Task;
        await world.MoveAwayAsync("x");
        var brought = world["y"].Find(Grain);
        Assert.Equal(incarnation, brought?.Replica.Incarnation);

        arrives.SetResult();
        await moving;

        Assert.Same(brought, world["y"].Find(Grain));
    }

    [Fact]
    public async Task What_has_arrived_is_kept_no_longer()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        await world.ClaimAsync("y", Grain);
        await world.SettledAsync();

        Assert.Empty(world["x"].Given.All);
    }

    /// <summary>x has given the memory to y, and the answer that has it is lost, as all later ones to y are.</summary>
    private static async Task<(SiblingWorld World, long Incarnation)> GivenAndLostAsync(params string[] nodes)
    {
        var world = new SiblingWorld(nodes);
        await world.ClaimAsync("x", Grain);
        var (incarnation, answers) = (world["x"].Find(Grain)!.Replica.Incarnation, 0);
        world.AnswerLost = (asks, _) => asks == "y" && ++answers >= nodes.Length;
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        Assert.Null(world["x"].Find(Grain));
        return (world, incarnation);
    }
}
