namespace Geo.Embedded.Tests;

/// <summary>Weighs the heap, so nothing else of this assembly runs at the same time.</summary>
/// <remarks>
/// The managed heap of a silo before and after activations were called once, each time the least of several after a full collection,
/// divided by their number: all that the silo keeps for one, its places in the silo's tables included, without what a store has. A first
/// round on another silo takes what is made once a process. Two runs differ by some bytes. The number of activations is one at which the
/// tables that double are full; when they have just doubled, each takes up to 50 B more.
/// </remarks>
[CollectionDefinition(nameof(IdleMemoryTests), DisableParallelization = true)]
[Collection(nameof(IdleMemoryTests))]
public sealed class IdleMemoryTests
{
    // Bytes of an activation that has confirmed one update and waits for the next call; with its replica, if it has one.
    private const int Goal = 1_536;

    private const int Count = 4_000;

    [Fact]
    public async Task An_idle_activation_takes_little()
    {
        var plain = await WeighAsync<IdlePlainGrain>();
        var single = await WeighAsync<IdleSingleGrain>();
        var row = single - plain;
        var local = await WeighAsync<IdleLocalGrain>() - row;
        var storedSingle = await WeighAsync<IdleStoredSingleGrain>() - row;
        var stored = await WeighAsync<IdleStoredGrain>();
        var led = await WeighAsync<IdleLedGrain>();
        TestContext.Current.SendDiagnosticMessage(
            $"plain {plain}, row {row}, local {local}, single stored {storedSingle}, stored {stored}, led {led} B");

        Assert.InRange(plain, 1, Goal / 2);
        Assert.InRange(local, 1, Goal);
        Assert.InRange(storedSingle, 1, Goal);
        Assert.InRange(stored, 1, Goal);
        Assert.InRange(led, 1, Goal);
    }

    private static async Task<long> WeighAsync<TGrain>()
        where TGrain : Grain
    {
        await WeighAsync<TGrain>(500);
        return await WeighAsync<TGrain>(Count);
    }

    private static async Task<long> WeighAsync<TGrain>(int count)
        where TGrain : Grain
    {
        var store = new ForgetfulStore();
        await using var silo = await TestSilo.StartAsync("here", geo => geo.AddGrain<TGrain>().AddStore(GeoStorage.Default, _ => store));
        var before = Settled();
        for (var i = 0; i < count; i++)
        {
            await silo.Grains.GetGrain<IIdleGrain>(i).Touch();
        }

        // What is stored does not count.
        store.Forget();
        return (Settled() - before) / count;
    }

    /// <summary>The heap once what runs on behind the last answers has ended.</summary>
    private static long Settled()
    {
        var least = long.MaxValue;
        for (var i = 0; i < 5; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            least = Math.Min(least, GC.GetTotalMemory(forceFullCollection: true));
        }

        return least;
    }
}

public interface IIdleGrain : IGrainWithIntegerKey
{
    Task Touch();
}

public sealed class IdlePlainGrain : Grain, IIdleGrain
{
    public Task Touch() => Task.CompletedTask;
}

[GlobalSingleInstance]
public sealed class IdleSingleGrain : Grain, IIdleGrain
{
    public Task Touch() => Task.CompletedTask;
}

[GlobalSingleInstance]
public sealed class IdleLocalGrain : IdleVersionedGrain;

[GlobalSingleInstance, BatchedCas]
public sealed class IdleStoredSingleGrain : IdleVersionedGrain;

[OneInstancePerCluster, BatchedCas]
public sealed class IdleStoredGrain : IdleVersionedGrain;

[OneInstancePerCluster, VersionedLeader]
public sealed class IdleLedGrain : IdleVersionedGrain;

public abstract class IdleVersionedGrain : JournaledGrain<IdleCount, IdleAdded>, IIdleGrain
{
    public Task Touch()
    {
        RaiseEvent(new IdleAdded(1));
        return ConfirmEvents();
    }
}

public sealed class IdleCount
{
    public int Sum { get; set; }

    public void Apply(IdleAdded added)
    {
        ArgumentNullException.ThrowIfNull(added);
        Sum += added.By;
    }
}

public sealed record IdleAdded(int By);
