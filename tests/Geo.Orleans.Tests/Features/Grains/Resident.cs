using Microsoft.Extensions.Options;
using Orleans.BroadcastChannel;
using Orleans.Concurrency;
using Orleans.Streams;

namespace Geo.Orleans.Tests.Features.Grains;

[Reentrant, ImplicitChannelSubscription(FeatureClusters.Residents)]
public sealed class Resident(IOptions<GeoOrleansOptions> options)
    : Grain, IResident, IAsyncObserver<int>, IOnBroadcastChannelSubscribed
{
    private readonly List<int> _heard = [];

    public Task<string> Where() => Task.FromResult($"{options.Value.ClusterId}/{this.GetPrimaryKeyString()}");

    public Task<string> Receive(IRoamer visitor) => visitor.Visit(this.AsReference<IResident>());

    public Task<string> Introduce(IResident other, IRoamer visitor) => visitor.Visit(other);

    public async IAsyncEnumerable<int> Count(int to)
    {
        for (var i = 1; i <= to; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    public Task StartTimer()
    {
        var key = this.GetPrimaryKeyString();
        this.RegisterGrainTimer(
            () =>
            {
                Roamer.Ticks.AddOrUpdate(key, 1, (_, ticks) => ticks + 1);
                return Task.CompletedTask;
            },
            TimeSpan.Zero, TimeSpan.FromMilliseconds(50));
        return Task.CompletedTask;
    }

    public Task Subscribe(string stream) =>
        this.GetStreamProvider(FeatureClusters.Streams).GetStream<int>(stream, this.GetPrimaryKeyString()).SubscribeAsync(this);

    public Task<int[]> Heard() => Task.FromResult(_heard.ToArray());

    public Task OnNextAsync(int item, StreamSequenceToken? token = null)
    {
        _heard.Add(item);
        return Task.CompletedTask;
    }

    public Task OnErrorAsync(Exception ex) => Task.CompletedTask;

    public Task OnSubscribed(IBroadcastChannelSubscription streamSubscription) =>
        streamSubscription.Attach<int>(item => OnNextAsync(item), OnErrorAsync);
}
