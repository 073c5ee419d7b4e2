using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

public sealed class OtherHostTests
{
    [Fact]
    public async Task A_call_to_a_cluster_on_another_host_is_refused_with_the_name_of_the_form_that_it_does_not_read()
    {
        var token = TestContext.Current.CancellationToken;
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<SingleCounterGrain>(), [("eu", null)]);
        await using var eu = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("eu/silo"), Cluster = new ClusterId("eu") }, TimeProvider.System,
            NullLoggerFactory.Instance);
        await eu.StartAsync(token);
        await using var fromEu = new ClusterMessenger(
            eu, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>> { [new ClusterId("us")] = [us.Silo.ListeningOn!] });

        // The other cluster owns the grain, as an Orleans cluster may: the directory is the same, the form of a carried call is not.
        await using var directory = new GlobalDirectory(
            new GlobalDirectoryOptions { Channel = Geo.Consistency.ReplicaExchange.RequestChannel }, fromEu, new InMemoryConditionalStore(),
            new MultiClusterConfiguration(1, [new ClusterId("eu"), new ClusterId("us")]), new OneNode(), TimeProvider.System, new Random(1),
            NullLogger<GlobalDirectory>.Instance);
        directory.Start();
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        await directory.AcquireAsync(new GrainKey("singlecounter", "a"), "node", SingleInstanceMode.Optimistic, token);

        var refusal = await Assert.ThrowsAsync<GeoUnavailableException>(() => us.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Contains(CallRouter.Service, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("eu", refusal.Message, StringComparison.Ordinal);
        Assert.NotEqual("geo.orleans.call", CallRouter.Service);
    }

    private sealed class OneNode : ILocalInstances
    {
        public string Node => "node";

        public long Incarnation => 1;

        public NodeState StateOf(string node) => NodeState.Living;

        public bool Has(GrainKey key) => true;

        public ValueTask<TenancyUse> UsesAsync(
            string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken) => default;

        public ValueTask DeactivateAsync(GrainKey key, string reason) => default;
    }
}
