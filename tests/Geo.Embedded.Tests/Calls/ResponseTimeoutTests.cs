namespace Geo.Embedded.Tests;

public interface IHolding : IGrainWithStringKey
{
    /// <summary>Ends when it is freed.</summary>
    Task<string> Hold();

    [ResponseTimeout("00:00:00.100")]
    Task<string> HoldBriefly();

    [ResponseTimeout("00:10:00")]
    Task<string> HoldAtLeisure();

    [AlwaysInterleave]
    Task Free();
}

public sealed class HoldingGrain : Grain, IHolding
{
    private readonly TaskCompletionSource<string> _free = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<string> Hold() => _free.Task;

    public Task<string> HoldBriefly() => _free.Task;

    public Task<string> HoldAtLeisure() => _free.Task;

    public Task Free()
    {
        _free.TrySetResult("free");
        return Task.CompletedTask;
    }
}

public interface INoTime : IGrainWithStringKey
{
    [ResponseTimeout("00:00:00")]
    Task AtOnce();
}

public interface ITimeBehind : IGrainWithStringKey
{
    [ResponseTimeout("-00:00:01")]
    Task Yesterday();
}

public interface ITooMuchTime : IGrainWithStringKey
{
    [ResponseTimeout("366.00:00:00")]
    Task SomeDay();
}

public interface INoTimeSpan : IGrainWithStringKey
{
    [ResponseTimeout("soon")]
    Task Soon();
}

public interface IEndlessTimeSpan : IGrainWithStringKey
{
    [ResponseTimeout("99999999.00:00:00")]
    Task Never();
}

public sealed class NoTimeGrain : Grain, INoTime
{
    public Task AtOnce() => Task.CompletedTask;
}

public sealed class TimeBehindGrain : Grain, ITimeBehind
{
    public Task Yesterday() => Task.CompletedTask;
}

public sealed class TooMuchTimeGrain : Grain, ITooMuchTime
{
    public Task SomeDay() => Task.CompletedTask;
}

public sealed class NoTimeSpanGrain : Grain, INoTimeSpan
{
    public Task Soon() => Task.CompletedTask;
}

public sealed class EndlessTimeSpanGrain : Grain, IEndlessTimeSpan
{
    public Task Never() => Task.CompletedTask;
}

/// <summary>A method with a <see cref="ResponseTimeoutAttribute"/> is held to it, and to nothing else.</summary>
public sealed class ResponseTimeoutTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task A_shorter_time_than_the_silos_ends_the_call()
    {
        await using var silo = await StartAsync(TimeSpan.FromHours(1));
        var grain = silo.Grains.GetGrain<IHolding>("a");

        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
            () => grain.HoldBriefly().WaitAsync(Soon, TestContext.Current.CancellationToken));
        await grain.Free();
    }

    [Fact]
    public async Task A_longer_time_than_the_silos_keeps_the_call()
    {
        await using var silo = await StartAsync(TimeSpan.FromMilliseconds(300));
        var patient = silo.Grains.GetGrain<IHolding>("patient");
        var kept = patient.HoldAtLeisure();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
            () => silo.Grains.GetGrain<IHolding>("other").Hold().WaitAsync(Soon, TestContext.Current.CancellationToken));

        await Eventually.HoldsAsync(async () => await Record.ExceptionAsync(patient.Free) is null, "the call that was kept is freed");

        Assert.Equal("free", await kept);
    }

    [Theory]
    [InlineData(typeof(NoTimeGrain), nameof(INoTime.AtOnce))]
    [InlineData(typeof(TimeBehindGrain), nameof(ITimeBehind.Yesterday))]
    [InlineData(typeof(TooMuchTimeGrain), nameof(ITooMuchTime.SomeDay))]
    [InlineData(typeof(NoTimeSpanGrain), nameof(INoTimeSpan.Soon))]
    [InlineData(typeof(EndlessTimeSpanGrain), nameof(IEndlessTimeSpan.Never))]
    public async Task A_time_that_cannot_be_is_refused_at_start_by_the_name_of_the_method(Type grainClass, string method)
    {
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync("us", geo => geo.Grains.Add(grainClass)));

        Assert.Contains(method, error.Message, StringComparison.Ordinal);
        Assert.Contains("365 days", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    private static Task<TestSilo> StartAsync(TimeSpan requestTimeout) => TestSilo.StartAsync(
        "us",
        geo => geo.AddGrain<HoldingGrain>().Configure(o =>
        {
            o.RequestTimeout = requestTimeout;
            o.TimeoutResolution = TimeSpan.FromMilliseconds(10);
        }));
}
