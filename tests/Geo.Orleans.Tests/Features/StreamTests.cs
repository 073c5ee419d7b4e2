using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.BroadcastChannel;
using Orleans.Streams;

namespace Geo.Orleans.Tests.Features;

/// <summary>Streams and broadcast channels, of which each cluster has its own, and single-instance grains.</summary>
[Collection(FeatureCollection.Name)]
public sealed class StreamTests(FeatureClusters features)
{
    [Fact]
    public Task What_any_cluster_publishes_on_a_stream_reaches_the_one_instance_through_an_ordinary_grain_that_is_subscribed() =>
        ReachesAsync("stream", async (cluster, item) => await features.Clusters.SilosOf(cluster)[0].Services
            .GetRequiredKeyedService<IStreamProvider>(FeatureClusters.Streams).GetStream<int>(FeatureClusters.Subscribed, "stream")
            .OnNextAsync(item));

    [Fact]
    public Task What_any_cluster_publishes_on_a_broadcast_channel_reaches_the_one_instance() =>
        ReachesAsync("channel", async (cluster, item) => await features.Clusters.SilosOf(cluster)[0].Services
            .GetRequiredKeyedService<IBroadcastChannelProvider>(FeatureClusters.Channel)
            .GetChannelWriter<int>(ChannelId.Create(FeatureClusters.Subscribed, "channel")).Publish(item));

    [Fact]
    public async Task A_subscription_of_its_own_is_refused_and_says_what_to_do()
    {
        var there = await features.PlaceInEuAsync("subscriber");

        var error = await Assert.ThrowsAsync<NotSupportedException>(() => there.Subscribe("news"));

        Assert.Contains("Let an ordinary grain in each cluster subscribe", error.Message, StringComparison.Ordinal);
        Assert.Contains("subscriber", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_it_publishes_reaches_the_subscribers_in_the_cluster_of_its_instance()
    {
        var there = await features.PlaceInEuAsync("publisher");
        var inEu = features.Eu.GetGrain<IResident>("publisher");
        var inUs = features.Us.GetGrain<IResident>("publisher");
        await inEu.Subscribe("news");
        await inUs.Subscribe("news");

        await there.Publish("news", 1);
        await Eventually.Is("1", () => HeardAsync(inEu));
        await features.Clusters.SilosOf("us")[0].Services.GetRequiredKeyedService<IStreamProvider>(FeatureClusters.Streams)
            .GetStream<int>("news", "publisher").OnNextAsync(2);

        await Eventually.Is("2", () => HeardAsync(inUs));
        Assert.Equal("1", await HeardAsync(inEu));
    }

    [Fact]
    public async Task A_stream_that_it_is_handed_by_another_cluster_is_the_one_of_this_name_in_the_cluster_of_its_instance()
    {
        var there = await features.PlaceInEuAsync("handed");
        var inEu = features.Eu.GetGrain<IResident>("handed");
        var inUs = features.Us.GetGrain<IResident>("handed");
        await inEu.Subscribe("handed-over");
        await inUs.Subscribe("handed-over");
        var ofUs = features.Clusters.SilosOf("us")[0].Services.GetRequiredKeyedService<IStreamProvider>(FeatureClusters.Streams)
            .GetStream<int>("handed-over", "handed");

        await there.PublishOn(ofUs, 1);
        await Eventually.Is("1", () => HeardAsync(inEu));
        await ofUs.OnNextAsync(2);

        await Eventually.Is("2", () => HeardAsync(inUs));
        Assert.Equal("1", await HeardAsync(inEu));
    }

    [Fact]
    public async Task What_it_publishes_on_a_broadcast_channel_reaches_the_consumers_in_the_cluster_of_its_instance()
    {
        var there = await features.PlaceInEuAsync("announcer");

        await there.Broadcast(FeatureClusters.Residents, 1);
        await Eventually.Is("1", () => HeardAsync(features.Eu.GetGrain<IResident>("announcer")));
        await features.Clusters.SilosOf("us")[0].Services.GetRequiredKeyedService<IBroadcastChannelProvider>(FeatureClusters.Channel)
            .GetChannelWriter<int>(ChannelId.Create(FeatureClusters.Residents, "announcer"))
            .Publish(2, TestContext.Current.CancellationToken);

        await Eventually.Is("2", () => HeardAsync(features.Us.GetGrain<IResident>("announcer")));
        Assert.Equal("1", await HeardAsync(features.Eu.GetGrain<IResident>("announcer")));
    }

    private static async Task<string> HeardAsync(IResident resident) => string.Join(' ', await resident.Heard());

    private async Task ReachesAsync(string key, Func<string, int, Task> publish)
    {
        var eu = features.Eu.GetGrain<IListensAnywhere>(key);
        var us = features.Us.GetGrain<IListensAnywhere>(key);
        Assert.Empty(await eu.Heard());

        await publish("eu", 1);
        await publish("us", 2);
        await Eventually.Is("eu 1, eu 2", async () => string.Join(", ", (await us.Heard()).Order()));

        await eu.End();
        await features.EndsAsync(eu);
        Assert.Empty(await us.Heard());
        await publish("eu", 3);
        await Eventually.Is("us 3", async () => string.Join(", ", await eu.Heard()));
    }
}
