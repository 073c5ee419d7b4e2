namespace Geo.Embedded.Tests;

/// <summary>A type that refuses the value that it is read for the second time: the caller's own copy is the first.</summary>
public sealed class Moody
{
    private static int _reads;

    public static int Reads => _reads;

    public int Number
    {
        get;
        set => field = Interlocked.Increment(ref _reads) == 2 ? throw new ArgumentOutOfRangeException(nameof(value)) : value;
    }
}

public interface IPickyTaker : IGrainWithStringKey
{
    Task<string> Where();

    Task Take(Moody moody, CancellationToken cancellationToken);

    Task<Picky> Give();
}

[GlobalSingleInstance]
public sealed class PickyTakerGrain : Grain, IPickyTaker
{
    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);

    public Task Take(Moody moody, CancellationToken cancellationToken) => Task.CompletedTask;

    public Task<Picky> Give() => Task.FromResult(Picky.Spoilt());
}

/// <summary>Arguments and results that travel, and that their own types refuse where they are read.</summary>
public sealed class PickyArgumentTests
{
    [Fact]
    public async Task A_call_whose_argument_is_refused_where_it_is_read_says_so_and_leaves_nothing_behind()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<PickyTakerGrain>());
        Assert.Equal("us", await clusters.Us.Grains.GetGrain<IPickyTaker>("a").Where());
        var taker = clusters.Eu.Grains.GetGrain<IPickyTaker>("a");
        Assert.Equal("us", await taker.Where());
        using var cancellation = new CancellationTokenSource();

        await Assert.ThrowsAsync<GeoSerializationException>(() => taker.Take(new Moody(), cancellation.Token));
        Assert.Equal(2, Moody.Reads);
        await Assert.ThrowsAsync<GeoSerializationException>(taker.Give);

        Assert.Equal(0, ((GeoSilo)clusters.Us.Silo).CancellableCalls);
    }
}
