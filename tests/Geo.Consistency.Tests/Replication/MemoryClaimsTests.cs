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
        var arrives = new TaskCompletionSource();
        world.BeforeAnswer = node => node == from ? arrives.Task : Task.CompletedTask;
        var moving = world.ClaimAsync(to, Grain);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync(from, Grain));
        arrives.SetResult();
        await moving;
        Assert.Null(world[from].Find(Grain));
        Assert.Equal(incarnation, world[to].Find(Grain)!.Replica.Incarnation);
    }

    [Fact]
    public async Task A_memory_whose_move_failed_is_given_again_to_the_same_try_and_to_no_later_one()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        var incarnation = world["x"].Find(Grain)!.Replica.Incarnation;
        world.BeforeAnswer = _ => Task.FromException(new GeoUnavailableException("lost"));
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        world.BeforeAnswer = _ => Task.CompletedTask;
        await world.ClaimAsync("x", Grain);
        Assert.NotEqual(incarnation, world["x"].Find(Grain)!.Replica.Incarnation);
        await world.ClaimAsync("y", Grain);
        Assert.NotEqual(incarnation, world["y"].Find(Grain)!.Replica.Incarnation);
        Assert.Null(world["x"].Find(Grain));
    }

    [Fact]
    public async Task A_memory_in_use_stays()
    {
        var world = new SiblingWorld("x", "y");
        await world.ClaimAsync("x", Grain);
        world["x"].Attach(Grain, new Watcher(), UpdateConfirmation.Default);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ClaimAsync("y", Grain));
        Assert.NotNull(world["x"].Find(Grain));
        Assert.Null(world["y"].Find(Grain));
    }

    private sealed class Watcher : IMemoryWatcher
    {
        public void MemoryChanged()
        {
        }
    }
}
