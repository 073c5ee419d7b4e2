using System.Collections.Concurrent;
using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

[Reentrant]
public abstract class AnyBroken(ILocalSiloDetails silo) : Grain, IBroken
{
    /// <summary>How many calls each silo holds: all silos of the tests run in this process.</summary>
    public static readonly ConcurrentDictionary<string, int> Held = new();

    private readonly TaskCompletionSource _free = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToParsableString());

    public Task Hold()
    {
        Held.AddOrUpdate(silo.SiloAddress.ToParsableString(), 1, (_, held) => held + 1);
        return Task.Delay(Timeout.Infinite);
    }

    public Task HoldBriefly() => Task.Delay(Timeout.Infinite);

    public Task HoldAtLeisure() => _free.Task;

    public Task Free()
    {
        _free.TrySetResult();
        return Task.CompletedTask;
    }

    public Task<int> Throw(string exception, bool later) =>
        exception == nameof(TaskCanceledException) ? Task.FromCanceled<int>(new CancellationToken(canceled: true))
        : later ? ThrowLater(exception)
        : throw Own(exception);

    private static async Task<int> ThrowLater(string exception)
    {
        await Task.Yield();
        throw Own(exception);
    }

    private static Exception Own(string exception) => exception switch
    {
        nameof(TimeoutException) => new TimeoutException("the grain's own"),
        nameof(OperationCanceledException) => new OperationCanceledException("the grain's own"),
        _ => new SiloUnavailableException("the grain's own"),
    };
}
