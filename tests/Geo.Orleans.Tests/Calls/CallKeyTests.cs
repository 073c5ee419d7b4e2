using System.Collections.Concurrent;
using Geo.Messaging;
using Geo.Orleans.Tests.Grains;
using Geo.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Calls;

/// <summary>What keeps the order of calls between clusters.</summary>
public sealed class CallKeyTests : IAsyncDisposable
{
    private readonly MessagingNode _eu = NodeOf("eu");
    private readonly MessagingNode _us = NodeOf("us");

    public async ValueTask DisposeAsync()
    {
        await _us.DisposeAsync();
        await _eu.DisposeAsync();
    }

    [Fact]
    public async Task What_a_grain_sends_shares_its_key_whichever_grains_it_calls()
    {
        await _eu.StartAsync(TestContext.Current.CancellationToken);
        await _us.StartAsync(TestContext.Current.CancellationToken);
        await using var toUs = new ClusterMessenger(_eu, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        await using var toEu = new ClusterMessenger(
            _us, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>> { [new ClusterId("eu")] = [_eu.ListeningOn!] });
        var messengers = new[] { new RecordingMessenger(toUs), new RecordingMessenger(toEu) };
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Services = services => services.AddSingleton<IClusterMessenger>(provider =>
            {
                var cluster = provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId;
                return messengers.Single(messenger => messenger.LocalCluster.Name == cluster);
            }),
        });
        await clusters.Grains("eu").GetGrain<ISpot>("key-a").Where();
        await clusters.Grains("eu").GetGrain<ISpot>("key-b").Where();
        var keys = messengers[1].Keys;

        foreach (var (caller, number) in new[] { ("one", 1), ("two", 2) })
        {
            Assert.Equal(3, await clusters.Grains("us").GetGrain<ICaller>(caller).Measure("key-a", 3));
            Assert.Equal(4, await clusters.Grains("us").GetGrain<ICaller>(caller).Measure("key-b", 4));
            Assert.Equal(number, keys.Distinct().Count());
        }

        var id = clusters.Grains("us").GetGrain<ICaller>("one").GetGrainId();
        Assert.Contains(new PartitionKey(id.Type.GetUniformHashCode(), id.Key.GetUniformHashCode()), keys);
    }

    private static MessagingNode NodeOf(string cluster) => new(
        new MessagingOptions { Peer = new PeerId($"{cluster}/silo"), Cluster = new ClusterId(cluster), ListenOn = PeerAddress.Loopback() },
        TimeProvider.System, NullLoggerFactory.Instance);

    private sealed class RecordingMessenger(IClusterMessenger inner) : MessengerOver(inner)
    {
        /// <summary>The keys of the calls.</summary>
        public ConcurrentQueue<PartitionKey> Keys { get; } = new();

        public override ValueTask<ClusterReply> RequestAsync(
            ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
            CancellationToken cancellationToken = default)
        {
            if (service == CallReceiver.Service)
            {
                Keys.Enqueue(Assert.NotNull(options.PartitionKey));
            }

            return Inner.RequestAsync(to, service, payload, options, cancellationToken);
        }
    }
}
