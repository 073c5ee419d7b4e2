using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.BroadcastChannel;
using Orleans.Concurrency;
using Orleans.Runtime.Placement;
using Orleans.Serialization.Invocation;
using Orleans.Streams;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, MayInterleave(nameof(MayInterleave))]
public sealed class Roamer(
    IOptions<GeoOrleansOptions> options,
    [PersistentState("resident", FeatureClusters.SharedStorage)] IPersistentState<RememberedResident> remembered)
    : Grain, IRoamer, IAsyncObserver<int>
{
    /// <summary>How often the timers of a key have ticked.</summary>
    public static readonly ConcurrentDictionary<string, int> Ticks = new();

    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task<string> Visit(IResident resident) => resident.Where();

    public Task Remember(IResident resident)
    {
        remembered.State.Resident = resident;
        return remembered.WriteStateAsync();
    }

    public Task<string> VisitRemembered() => remembered.State.Resident!.Where();

    public Task<IResident> Remembered() => Task.FromResult(remembered.State.Resident!);

    public Task RememberRoamer(IRoamer roamer)
    {
        remembered.State.Roamer = roamer;
        return remembered.WriteStateAsync();
    }

    public Task<IRoamer> RememberedRoamer() => Task.FromResult(remembered.State.Roamer!);

    public async Task<string> RoundTrip(IRoamer other, bool reentrant)
    {
        using var section = reentrant ? RequestContext.AllowCallChainReentrancy() : RequestContext.SuppressCallChainReentrancy();
        return await other.CallBack(this.AsReference<IRoamer>());
    }

    public async Task<string> CallBack(IRoamer caller) => $"{await Where()} {await caller.Where()}";

    public Task<string> VisitInEachCluster(IEverywhere everywhere) => everywhere.Where();

    public async Task<int> Sum(IResident resident, int to)
    {
        var sum = 0;
        await foreach (var number in resident.Count(to))
        {
            sum += number;
        }

        return sum;
    }

    public Task Hold(string name) => Held.For(name).WaitAsync();

    public Task HoldReading(string name) => Held.For(name).WaitAsync();

    public Task<string> WhereAlways() => Where();

    public Task<string> WhereReading() => Where();

    public Task<string> WhereMay() => Where();

    public static bool MayInterleave(IInvokable request) => request.GetMethodName() == nameof(WhereMay);

    public Task StartTimer()
    {
        var key = this.GetPrimaryKeyString();
        this.RegisterGrainTimer(
            () =>
            {
                Ticks.AddOrUpdate(key, 1, (_, ticks) => ticks + 1);
                return Task.CompletedTask;
            },
            TimeSpan.Zero, TimeSpan.FromMilliseconds(50));
        return Task.CompletedTask;
    }

    public Task MoveTo(SiloAddress silo)
    {
        RequestContext.Set(IPlacementDirector.PlacementHintKey, silo);
        MigrateOnIdle();
        return Task.CompletedTask;
    }

    public Task AskForState()
    {
        ServiceProvider.GetRequiredService<IPersistentStateFactory>()
            .Create<KeptState>(GrainContext, new PersistentStateAttribute("asked-for"));
        return Task.CompletedTask;
    }

    public Task Subscribe(string stream) => StreamOf(stream).SubscribeAsync(this);

    public Task Publish(string stream, int number) => StreamOf(stream).OnNextAsync(number);

    public Task PublishOn(IAsyncStream<int> stream, int number) => stream.OnNextAsync(number);

    public Task Broadcast(string channel, int number) => ServiceProvider
        .GetRequiredKeyedService<IBroadcastChannelProvider>(FeatureClusters.Channel)
        .GetChannelWriter<int>(ChannelId.Create(channel, this.GetPrimaryKeyString())).Publish(number);

    public Task Transfer(string from, string to, int amount) => GrainFactory.GetGrain<ITeller>(from).Transfer(from, to, amount);

    public Task OnNextAsync(int item, StreamSequenceToken? token = null) => Task.CompletedTask;

    public Task OnErrorAsync(Exception ex) => Task.CompletedTask;

    private IAsyncStream<int> StreamOf(string stream) =>
        this.GetStreamProvider(FeatureClusters.Streams).GetStream<int>(stream, this.GetPrimaryKeyString());
}
