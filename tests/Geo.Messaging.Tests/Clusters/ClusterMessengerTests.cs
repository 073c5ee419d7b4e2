using System.Text;

namespace Geo.Messaging.Tests;

public sealed class ClusterMessengerTests : IAsyncDisposable
{
    private static readonly ClusterId Us = new("us");
    private static readonly ClusterId Eu = new("eu");

    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task Clusters_reach_each_other_in_both_directions_over_one_dial()
    {
        var (us, eu) = (await _net.StartAsync("us/1"), await _net.ListenAsync("eu/1"));
        await using var fromEu = Messenger(eu);
        var euSeesUs = NextLinkUp(fromEu);
        await using var fromUs = Messenger(us, (Eu, [eu.ListeningOn!]));
        using var inUs = fromUs.Handle("where", Answer("us"));
        using var inEu = fromEu.Handle("where", Answer("eu"));
        Assert.Equal(Us, await Eventually.InTimeAsync(euSeesUs));
        await Net.ConnectedAsync(us, eu);

        var there = await fromUs.RequestAsync(Eu, "where", default, default, Net.Token);
        var back = await fromEu.RequestAsync(Us, "where", default, default, Net.Token);

        Assert.Equal("eu answers us", Encoding.UTF8.GetString(there.Payload.Span));
        Assert.Equal("us answers eu", Encoding.UTF8.GetString(back.Payload.Span));
    }

    [Fact]
    public async Task A_cluster_without_a_link_is_refused_at_once()
    {
        var us = await _net.StartAsync("us/1");
        await using var messenger = Messenger(us);

        var request = messenger.RequestAsync(Eu, "where", default, default, Net.Token);

        Assert.True(request.IsCompleted);
        var reply = await request;
        Assert.Equal(ReplyOutcome.Refused, reply.Outcome);
        Assert.Contains("no link to cluster eu", reply.Reason, StringComparison.Ordinal);
        Assert.False(messenger.TrySend(Eu, "where", default));
    }

    [Fact]
    public async Task What_refused_the_link_is_told_with_every_request_until_there_is_one()
    {
        var asia = await _net.ListenAsync("asia/1");
        var eu = await _net.ListenAsync("eu/1");
        await using var fromEu = Messenger(eu);
        using var there = fromEu.Handle("where", Answer("eu"));
        var us = await _net.StartAsync("us/1");
        await using var messenger = Messenger(us, (Eu, [asia.ListeningOn!]));

        await Eventually.InTimeAsync(us.WhenTriedAsync(asia.ListeningOn!));
        var reply = await messenger.RequestAsync(Eu, "where", default, default, Net.Token);
        Assert.Contains($"{asia.ListeningOn} refuses this one, ", reply.Reason, StringComparison.Ordinal);

        messenger.UseEntryPoints(new Dictionary<ClusterId, IReadOnlyList<PeerAddress>> { [Eu] = [eu.ListeningOn!] });
        await Net.ConnectedAsync(us, eu);
        Assert.Equal(ReplyOutcome.Replied, (await messenger.RequestAsync(Eu, "where", default, default, Net.Token)).Outcome);
    }

    [Fact]
    public async Task Another_entry_point_serves_a_further_try_and_when_one_is_gone_and_a_key_keeps_to_one_meanwhile()
    {
        var us = await _net.StartAsync("us/1");
        var eus = new[]
        {
            await _net.ListenAsync("eu/1", options => options with { ClusterInstance = "eu" }),
            await _net.ListenAsync("eu/2", options => options with { ClusterInstance = "eu" }),
        };
        var messengers = eus.Select(eu => Messenger(eu)).ToList();
        var handlers = messengers.Select((messenger, index) => messenger.Handle("where", Answer($"eu/{index + 1}"))).ToList();
        await using var fromUs = Messenger(us, (Eu, [.. eus.Select(eu => eu.ListeningOn!)]));
        await Net.ConnectedAsync(us, eus[0]);
        await Net.ConnectedAsync(us, eus[1]);

        var options = new MessageOptions(PartitionKey: PartitionKey.From("item-7"));
        var answers = new HashSet<string>();
        for (var i = 0; i < 50; i++)
        {
            answers.Add(await AskAsync(fromUs, options));
        }

        var chosen = Assert.Single(answers);
        Assert.NotEqual(chosen, await AskAsync(fromUs, options with { Attempt = 1 }));
        var spread = new HashSet<string>();
        for (var i = 0; i < 50; i++)
        {
            spread.Add(await AskAsync(fromUs, new MessageOptions(PartitionKey: PartitionKey.From(i))));
        }

        Assert.Equal(2, spread.Count);
        for (var i = 0; i < 50; i++)
        {
            var fromAnyone = new MessageOptions(PartitionKey: PartitionKey.From(i), Recipient: options.PartitionKey);
            Assert.Equal(chosen, await AskAsync(fromUs, fromAnyone));
        }

        await eus[chosen.StartsWith("eu/1", StringComparison.Ordinal) ? 0 : 1].DisposeAsync();
        await Eventually.HoldsAsync(() => us.Members.Count == 1, "one entry point is gone");
        var other = await AskAsync(fromUs, options);
        Assert.NotEqual(chosen, other);
        Assert.Equal(other, await AskAsync(fromUs, options with { Attempt = 1 }));
        handlers.ForEach(handler => handler.Dispose());
    }

    [Fact]
    public async Task Clients_cannot_call_what_clusters_offer_each_other()
    {
        var eu = await _net.ListenAsync("eu/1");
        await using var messenger = Messenger(eu);
        using var handler = messenger.Handle("where", Answer("eu"));
        var client = await _net.StartAsync("client-7f");
        await Eventually.InTimeAsync(client.JoinAsync(eu.ListeningOn!, cancellationToken: Net.Token));

        var reply = await client.RequestAsync(eu.Peer, "where", default, default, Net.Token);

        Assert.Equal(ReplyOutcome.Refused, reply.Outcome);
    }

    [Fact]
    public async Task LinkUp_is_raised_again_when_a_lost_cluster_is_back()
    {
        var wires = new FaultyTransport();
        var (us, eu) = (await _net.StartAsync("us/1", transport: wires), await _net.ListenAsync("eu/1"));
        await using var fromUs = Messenger(us);
        var ups = 0;
        fromUs.LinkUp += cluster => Interlocked.Add(ref ups, cluster == Eu ? 1 : 0);
        us.Connect(eu.ListeningOn!);
        await Eventually.HoldsAsync(() => Volatile.Read(ref ups) == 1, "the link is up");

        wires.CutAll();

        await Eventually.HoldsAsync(() => Volatile.Read(ref ups) == 2, "the link is up again");
    }

    [Fact]
    public async Task LinkDown_is_raised_when_the_last_link_to_a_cluster_is_gone_and_not_before()
    {
        var us = await _net.StartAsync("us/1");
        var (first, second) = (await _net.ListenAsync("eu/1", OneCluster), await _net.ListenAsync("eu/2", OneCluster));
        await using var fromUs = Messenger(us, (Eu, [first.ListeningOn!, second.ListeningOn!]));
        var downs = 0;
        fromUs.LinkDown += cluster => Interlocked.Add(ref downs, cluster == Eu ? 1 : 0);
        await Eventually.HoldsAsync(() => us.Members.Count == 2, "both are linked");
        Assert.True(fromUs.IsLinked(Eu));

        await first.DisposeAsync();
        await Eventually.HoldsAsync(() => us.Members.Count == 1, "one link is left");
        Assert.Equal((true, 0), (fromUs.IsLinked(Eu), Volatile.Read(ref downs)));

        await second.DisposeAsync();
        await Eventually.HoldsAsync(() => Volatile.Read(ref downs) == 1, "the cluster is out of reach");
        Assert.False(fromUs.IsLinked(Eu));
    }

    // Silos of one cluster say that they are; two that do not are two clusters with one id.
    private static MessagingOptions OneCluster(MessagingOptions options) => options with { ClusterInstance = "one" };

    private static ClusterMessenger Messenger(MessagingNode node, params (ClusterId Cluster, PeerAddress[] Addresses)[] entryPoints) =>
        new(node, entryPoints.ToDictionary(entry => entry.Cluster, entry => (IReadOnlyList<PeerAddress>)entry.Addresses));

    private static ClusterMessageHandler Answer(string name) =>
        (message, _) => new(Encoding.UTF8.GetBytes($"{name} answers {message.From}"));

    private static async Task<string> AskAsync(ClusterMessenger messenger, MessageOptions options) =>
        Encoding.UTF8.GetString((await messenger.RequestAsync(Eu, "where", default, options, Net.Token)).Payload.Span);

    private static Task<ClusterId> NextLinkUp(ClusterMessenger messenger)
    {
        var next = new TaskCompletionSource<ClusterId>(TaskCreationOptions.RunContinuationsAsynchronously);
        messenger.LinkUp += cluster => next.TrySetResult(cluster);
        return next.Task;
    }
}
