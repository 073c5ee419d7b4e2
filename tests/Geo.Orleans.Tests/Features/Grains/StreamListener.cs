using Orleans.Streams;
using Orleans.Streams.Core;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain that hears a stream in its cluster and tells a single-instance grain.</summary>
[ImplicitStreamSubscription(FeatureClusters.Subscribed)]
public sealed class StreamListener : Grain, IGrainWithStringKey, IStreamSubscriptionObserver, IAsyncObserver<int>
{
    public Task OnSubscribed(IStreamSubscriptionHandleFactory handleFactory) => handleFactory.Create<int>().ResumeAsync(this);

    public Task OnNextAsync(int item, StreamSequenceToken? token = null) =>
        GrainFactory.GetGrain<IListensAnywhere>(this.GetPrimaryKeyString()).Tell(item);

    public Task OnErrorAsync(Exception ex) => Task.CompletedTask;
}
