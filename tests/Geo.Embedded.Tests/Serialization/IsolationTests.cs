namespace Geo.Embedded.Tests;

public sealed class Box
{
    public int Value { get; set; }

    public List<Box> Inner { get; set; } = [];
}

[Immutable]
public sealed record Sealed(int[] Values);

public sealed class Marked
{
    [Id(0)]
    private int _hidden;

    [Id(1)]
    public int Guarded { get; private set; }

    public int Hidden => _hidden;

    public void Set(int value) => _hidden = Guarded = value;
}

public interface IKeeper : IGrainWithStringKey
{
    Task Keep(Box box);

    Task<Box> Kept();

    Task<bool> IsSame(Sealed value);

    Task KeepSealed(Sealed value);

    Task<int[]> Twice(int[] values);

    Task<Marked> Pass(Marked marked);

    Task<string> Call(ICounter counter);

    Task<ICounter> Counter(string key);
}

public sealed class KeeperGrain : Grain, IKeeper
{
    private Box _box = new();
    private Sealed? _sealed;

    public Task Keep(Box box)
    {
        _box = box;
        return Task.CompletedTask;
    }

    public Task<Box> Kept() => Task.FromResult(_box);

    public Task<bool> IsSame(Sealed value) => Task.FromResult(ReferenceEquals(_sealed, value));

    public Task KeepSealed(Sealed value)
    {
        _sealed = value;
        return Task.CompletedTask;
    }

    public Task<int[]> Twice(int[] values)
    {
        for (var i = 0; i < values.Length; i++)
        {
            values[i] *= 2;
        }

        return Task.FromResult(values);
    }

    public Task<Marked> Pass(Marked marked) => Task.FromResult(marked);

    public async Task<string> Call(ICounter counter) => $"{counter.GetPrimaryKeyString()}={await counter.Add(1)}";

    public Task<ICounter> Counter(string key) => Task.FromResult(GrainFactory.GetGrain<ICounter>(key));
}

public sealed class IsolationTests
{
    [Fact]
    public async Task A_grain_does_not_see_what_its_caller_does_to_an_argument_afterwards()
    {
        await using var silo = await StartAsync();
        var keeper = silo.Grains.GetGrain<IKeeper>("a");
        var box = new Box { Value = 1, Inner = [new Box { Value = 2 }] };
        await keeper.Keep(box);
        box.Inner[0].Value = 99;
        Assert.Equal(2, (await keeper.Kept()).Inner[0].Value);
    }

    [Fact]
    public async Task A_caller_that_changes_a_result_does_not_change_the_grain()
    {
        await using var silo = await StartAsync();
        var keeper = silo.Grains.GetGrain<IKeeper>("a");
        await keeper.Keep(new Box { Value = 1 });
        (await keeper.Kept()).Value = 99;
        Assert.Equal(1, (await keeper.Kept()).Value);
    }

    [Fact]
    public async Task What_is_marked_immutable_is_shared_and_arrays_are_copied()
    {
        await using var silo = await StartAsync();
        var keeper = silo.Grains.GetGrain<IKeeper>("a");
        var value = new Sealed([1]);
        await keeper.KeepSealed(value);
        Assert.True(await keeper.IsSame(value));
        int[] numbers = [1, 2];
        Assert.True((await keeper.Twice(numbers)) is [2, 4]);
        Assert.True(numbers is [1, 2]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Members_marked_with_an_id_travel_even_when_they_are_not_public(bool fromClient)
    {
        await using var silo = await StartAsync();
        await using var client = await silo.ConnectClientAsync();
        var marked = new Marked();
        marked.Set(7);
        var passed = await (fromClient ? client : silo.Grains).GetGrain<IKeeper>("a").Pass(marked);
        Assert.Equal((7, 7), (passed.Hidden, passed.Guarded));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task References_to_grains_travel_as_arguments_and_results(bool fromClient)
    {
        await using var silo = await StartAsync();
        await using var client = await silo.ConnectClientAsync();
        var grains = fromClient ? client : silo.Grains;
        var keeper = grains.GetGrain<IKeeper>("a");
        Assert.Equal("x=1", await keeper.Call(grains.GetGrain<ICounter>("x")));
        var counter = await keeper.Counter("x");
        Assert.Equal(2, await counter.Add(1));
    }

    [Fact]
    public async Task A_grain_that_passes_itself_is_told_to_pass_a_reference()
    {
        await using var silo = await StartAsync();
        var error = await Assert.ThrowsAsync<GeoSerializationException>(
            () => silo.Grains.GetGrain<IKeeper>("a").Call(new LocalCounterGrain()));
        Assert.Contains("AsReference<ICounter>", error.Message, StringComparison.Ordinal);
    }

    private static Task<TestSilo> StartAsync() =>
        TestSilo.StartAsync("us", geo => geo.AddGrain<KeeperGrain>().AddGrain<LocalCounterGrain>());
}
