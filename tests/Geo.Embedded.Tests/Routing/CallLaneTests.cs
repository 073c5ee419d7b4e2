using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Geo.Messaging;
using Geo.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

public interface IAsker : IGrainWithStringKey
{
    Task<int> AddToBoth(string one, string other);
}

public sealed class AskerGrain : Grain, IAsker
{
    public async Task<int> AddToBoth(string one, string other) =>
        await GrainFactory.GetGrain<ICounter>(one).Add(1) + await GrainFactory.GetGrain<ICounter>(other).Add(1);
}

public interface IMeasured : IGrainWithStringKey
{
    Task<int> LengthOf(string text);
}

[GlobalSingleInstance]
public sealed class MeasuredGrain : Grain, IMeasured
{
    public Task<int> LengthOf(string text) => Task.FromResult(text.Length);
}

/// <summary>Which connections calls between clusters take.</summary>
public sealed class CallLaneTests
{
    [Fact]
    public async Task What_a_grain_sends_shares_its_key_and_a_call_from_outside_has_that_of_the_grain_called()
    {
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("us/silo"), Cluster = new ClusterId("us"), ListenOn = PeerAddress.Loopback() },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync(TestContext.Current.CancellationToken);
        await using var links = new ClusterMessenger(node, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        var messenger = new RecordingMessenger(links);
        static void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<SingleCounterGrain>().AddGrain<AskerGrain>();
        await using var us = await TestSilo.StartAsync(
            "us", Configure, [("eu", null)], services => services.AddSingleton<IClusterMessenger>(messenger));
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", node.ListeningOn!.ToString())]);
        await Eventually.HoldsAsync(() => node.Members.Count > 0 && eu.Silo.IsLinkedTo(new ClusterId("us")), "the clusters are linked");
        await eu.Grains.GetGrain<ICounter>("a").Add(1);
        await eu.Grains.GetGrain<ICounter>("b").Add(1);

        Assert.Equal(4, await us.Grains.GetGrain<IAsker>("one").AddToBoth("a", "b"));
        Assert.Single(messenger.Keys.Distinct());
        Assert.Equal(6, await us.Grains.GetGrain<IAsker>("two").AddToBoth("a", "b"));
        Assert.Equal(2, messenger.Keys.Distinct().Count());

        messenger.Keys.Clear();
        await us.Grains.GetGrain<ICounter>("a").Add(1);
        await us.Grains.GetGrain<ICounter>("b").Add(1);
        Assert.Equal(2, messenger.Keys.Distinct().Count());
    }

    [Fact]
    public async Task Large_arguments_have_lanes_of_their_own()
    {
        Assert.SkipWhen(Environment.ProcessorCount == 1, "With one processor a channel has one lane.");
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<MeasuredGrain>());
        Assert.Equal(1, await clusters.Eu.Grains.GetGrain<IMeasured>("a").LengthOf("x"));
        long lanes = 0;
        using var listening = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "geo.messaging.bulk_lanes")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listening.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            foreach (var tag in tags)
            {
                lanes += tag is { Key: "geo.remote", Value: "eu/silo" } ? value : 0;
            }
        });
        listening.Start();

        Assert.Equal(3_000_000, await clusters.Us.Grains.GetGrain<IMeasured>("a").LengthOf(new string('x', 3_000_000)));

        await Eventually.HoldsAsync(
            () =>
            {
                lanes = 0;
                listening.RecordObservableInstruments();
                return lanes > 0;
            },
            "a lane for large arguments is open");
    }

    private sealed class RecordingMessenger(IClusterMessenger inner) : MessengerOver(inner)
    {
        /// <summary>The keys of the calls.</summary>
        public ConcurrentQueue<PartitionKey?> Keys { get; } = new();

        public override ValueTask<ClusterReply> RequestAsync(
            ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
            CancellationToken cancellationToken = default)
        {
            if (service == CallRouter.Service)
            {
                Keys.Enqueue(options.PartitionKey);
            }

            return Inner.RequestAsync(to, service, payload, options, cancellationToken);
        }
    }
}
