using System.Diagnostics.Metrics;
using System.Text;
using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

public sealed class SiblingRelayTests
{
    private static readonly ClusterId Eu = new("eu");
    private static readonly ClusterId Us = new("us");
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);

    // The limit of each silo.
    private const int MaxRelayed = 20;
    private const int MaxRelayedBytes = 100_000;

    private readonly SimulationScheduler _scheduler = new();
    private readonly SiblingNet _net;
    private readonly OwnLinks[] _links = [new(Eu), new(Eu), new(Eu)];
    private readonly SiblingNet.Member[] _silos;
    private readonly SiblingRelay[] _relays;

    public SiblingRelayTests()
    {
        _net = new(_scheduler.Time);
        _silos = [.. _links.Select((_, i) => _net.Join($"eu/{i}"))];
        _relays = [.. _silos.Zip(_links, Relay)];
    }

    [Fact]
    public void A_silo_without_a_link_asks_through_the_sibling_that_has_one() => _scheduler.Run(async () =>
    {
        _links[2].Linked.Add(Us);
        var options = new MessageOptions(
            "geo.control", PartitionKey.From("buyer"), TimeSpan.FromSeconds(3), 1, Recipient: PartitionKey.From("cart"));

        var reply = await _relays[0].RequestAsync(Us, "geo.gsi", "who?"u8.ToArray(), options);

        Assert.Equal((ReplyOutcome.Replied, "us heard who?"), (reply.Outcome, Encoding.UTF8.GetString(reply.Payload.Span)));
        Assert.Equal(options, Assert.Single(_links[2].Requests).Options);
        Assert.Empty(_links[0].Requests);
        Assert.DoesNotContain(_links[1].Requests, request => request.WasSent);
    });

    [Fact]
    public void A_silo_with_a_link_of_its_own_asks_nobody() => _scheduler.Run(async () =>
    {
        _links[0].Linked.Add(Us);
        _links[1].Linked.Add(Us);

        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);

        Assert.Single(_links[0].Requests);
        Assert.Empty(_links[1].Requests);
    });

    [Fact]
    public void In_a_cut_each_sibling_is_asked_once_a_second_and_the_message_is_refused() => _scheduler.Run(async () =>
    {
        for (var i = 0; i < 10; i++)
        {
            Assert.Equal(ReplyOutcome.Refused, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        }

        Assert.Single(_links[1].Requests);
        Assert.Single(_links[2].Requests);

        // A link of its own is used at once, whatever was found before.
        _links[0].Linked.Add(Us);
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
    });

    [Fact]
    public void A_sibling_that_does_not_answer_leaves_it_unknown_whether_the_message_was_handled() => _scheduler.Run(async () =>
    {
        _net.Crash("eu/1");

        var reply = await _relays[0].RequestAsync(Us, "geo.gsi", default, new MessageOptions(Timeout: TimeSpan.FromSeconds(1)));

        Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
        Assert.InRange(_scheduler.Time.Elapsed, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3));
    });

    [Fact]
    public void A_request_with_a_longer_time_out_than_timers_take_is_sent_with_the_longest() => _scheduler.Run(async () =>
    {
        _links[1].Linked.Add(Us);

        var reply = await _relays[0].RequestAsync(Us, "geo.gsi", default, new MessageOptions(Timeout: TimeSpan.MaxValue));

        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.Equal(LongestWait.Limit, Assert.Single(_silos[0].Waits));
    });

    [Fact]
    public void All_siblings_are_asked_however_many_there_are() => _scheduler.Run(async () =>
    {
        foreach (var i in Enumerable.Range(3, 20))
        {
            Relay(_net.Join($"eu/x{i}"), new OwnLinks(Eu));
        }

        var last = new OwnLinks(Eu);
        last.Linked.Add(Us);
        Relay(_net.Join("eu/y"), last);

        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
    });

    [Fact]
    public void All_siblings_together_have_the_time_of_one_request() => _scheduler.Run(async () =>
    {
        _links[1].Refusing = () => Task.Delay(TimeSpan.FromSeconds(1.5), _scheduler.Time);
        _net.Crash("eu/2");

        var reply = await _relays[0].RequestAsync(Us, "geo.gsi", default, new MessageOptions(Timeout: TimeSpan.FromSeconds(1)));

        Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
        Assert.Equal(TimeSpan.FromSeconds(2), _scheduler.Time.Elapsed);
    });

    [Fact]
    public void A_message_without_a_reply_goes_the_way_that_the_last_request_went() => _scheduler.Run(async () =>
    {
        _links[2].Linked.Add(Us);
        await _relays[0].RequestAsync(Us, "geo.gsi", default);

        Assert.True(_relays[0].TrySend(Us, "geo.view", "news"u8.ToArray()));

        Assert.Equal("geo.view", Assert.Single(_links[2].Sent));
    });

    [Fact]
    public void Siblings_that_relay_all_they_may_refuse_one_message_and_are_offered_the_next() => _scheduler.Run(async () =>
    {
        var answering = new TaskCompletionSource();
        foreach (var links in _links[1..])
        {
            links.Linked.Add(Us);
            links.Answering = answering.Task;
        }

        var relayed = Enumerable.Range(0, 2 * MaxRelayed).Select(_ => _relays[0].RequestAsync(Us, "geo.gsi", default).AsTask()).ToArray();
        await Task.Delay(TimeSpan.FromMilliseconds(10), _scheduler.Time);
        var oneTooMany = await _relays[0].RequestAsync(Us, "geo.gsi", default);
        answering.SetResult();
        Assert.All(await Task.WhenAll(relayed), reply => Assert.Equal(ReplyOutcome.Replied, reply.Outcome));
        var next = await _relays[0].RequestAsync(Us, "geo.gsi", default);

        Assert.Equal(ReplyOutcome.Refused, oneTooMany.Outcome);
        Assert.Contains("MaxRelayedMessages", oneTooMany.Reason, StringComparison.Ordinal);
        Assert.Equal(ReplyOutcome.Replied, next.Outcome);
        Assert.Equal(2 * MaxRelayed + 1, _links[1..].Sum(links => links.Requests.Count(request => request.WasSent)));
    });

    [Fact]
    public void What_siblings_relay_is_bounded_by_bytes_and_one_alone_always_goes() => _scheduler.Run(async () =>
    {
        var answering = new TaskCompletionSource();
        _links[1].Linked.Add(Us);
        _links[1].Answering = answering.Task;
        var refusals = 0L;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, metrics) =>
        {
            if (instrument.Name == "geo.directory.relay_refusals")
            {
                metrics.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref refusals, count));
        listener.Start();

        var large = _relays[0].RequestAsync(Us, "geo.gsi", new byte[2 * MaxRelayedBytes]).AsTask();
        await Task.Delay(TimeSpan.FromMilliseconds(10), _scheduler.Time);
        var oneTooMany = await _relays[0].RequestAsync(Us, "geo.gsi", new byte[1]);
        answering.SetResult();

        Assert.Equal(ReplyOutcome.Replied, (await large).Outcome);
        Assert.Equal(ReplyOutcome.Refused, oneTooMany.Outcome);
        Assert.Contains("MaxRelayedBytes", oneTooMany.Reason, StringComparison.Ordinal);
        Assert.True(Interlocked.Read(ref refusals) > 0);
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", new byte[1])).Outcome);
    });

    [Fact]
    public void A_cluster_that_siblings_with_too_much_to_relay_reach_is_not_out_of_reach() => _scheduler.Run(async () =>
    {
        var answering = new TaskCompletionSource();
        _links[1].Linked.Add(Us);
        _links[1].Answering = answering.Task;
        using var reach = new ClusterReach(_relays[0], [Us], _scheduler.Time);
        await Task.Delay(TimeSpan.FromSeconds(5), _scheduler.Time);
        Assert.Equal(TimeSpan.FromSeconds(5), reach.DownFor(Us));

        var relayed = Enumerable.Range(0, MaxRelayed).Select(_ => _relays[0].RequestAsync(Us, "geo.gsi", default).AsTask()).ToArray();
        await Task.Delay(TimeSpan.FromMilliseconds(10), _scheduler.Time);
        Assert.Equal(ReplyOutcome.Refused, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);

        // An optimistic grain there must not be taken for given up, however soon others are.
        await Task.Delay(TimeSpan.FromMilliseconds(10), _scheduler.Time);
        Assert.Null(reach.DownFor(Us));
        Assert.True(reach.IsBusy(Us));

        answering.SetResult();
        await Task.WhenAll(relayed);
        _links[1].Linked.Clear();
        Assert.Equal(ReplyOutcome.Refused, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        await Task.Delay(TimeSpan.FromSeconds(5), _scheduler.Time);
        Assert.InRange(reach.DownFor(Us)!.Value, TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(6));
        Assert.False(reach.IsBusy(Us));

        // What was heard in one outage says nothing about the next.
        _links[0].Raise(Us, isUp: true);
        _links[0].Raise(Us, isUp: false);
        await Task.Delay(TimeSpan.FromSeconds(2), _scheduler.Time);
        Assert.Equal(TimeSpan.FromSeconds(2), reach.DownFor(Us));
    });

    [Fact]
    public void That_a_cluster_lacks_the_service_of_what_is_relayed_is_told_whatever_others_say() => _scheduler.Run(async () =>
    {
        _links[1].Linked.Add(Us);
        _links[1].NotServed.Add("geo.status");

        var reply = await _relays[0].RequestAsync(Us, "geo.status", default);

        Assert.Equal((ReplyOutcome.Refused, true, "no service geo.status"), (reply.Outcome, reply.IsNotServed, reply.Reason));
        Assert.Single(_links[2].Requests);
        Assert.False((await _relays[0].RequestAsync(new ClusterId("asia"), "geo.status", default)).IsNotServed);
    });

    [Fact]
    public void A_cluster_that_lacks_a_service_is_within_reach() => _scheduler.Run(async () =>
    {
        _links[1].Linked.Add(Us);
        _links[1].NotServed.Add("geo.status");
        using var reach = new ClusterReach(_relays[0], [Us], _scheduler.Time);
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        Assert.Null(reach.DownFor(Us));

        Assert.True((await _relays[0].RequestAsync(Us, "geo.status", default)).IsNotServed);

        Assert.Null(reach.DownFor(Us));
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
    });

    [Theory]
    [InlineData("eu/1", 2)]
    [InlineData("eu/2", 1)]
    public void After_a_sibling_that_does_not_answer_another_one_that_has_a_link_is_asked(string silent, int linked) =>
        _scheduler.Run(async () =>
        {
            // The membership takes it for living.
            _net.Crash(silent);
            _links[linked].Linked.Add(Us);
            await _relays[0].RequestAsync(Us, "geo.gsi", default);

            Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        });

    [Fact]
    public void After_a_sibling_that_does_not_answer_those_without_a_link_are_passed_over() => _scheduler.Run(async () =>
    {
        var last = new OwnLinks(Eu);
        last.Linked.Add(Us);
        Relay(_net.Join("eu/3"), last);
        _net.Crash("eu/1");
        await _relays[0].RequestAsync(Us, "geo.gsi", default);

        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
    });

    [Fact]
    public void A_cluster_that_only_a_silent_sibling_has_reached_does_not_count_as_within_reach_for_ever() => _scheduler.Run(async () =>
    {
        _links[1].Linked.Add(Us);
        using var reach = new ClusterReach(_relays[0], [Us], _scheduler.Time);
        Assert.Equal(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);

        // The membership takes it for living, and the other sibling has no link.
        _net.Crash("eu/1");
        for (var i = 0; i < 10; i++)
        {
            Assert.NotEqual(ReplyOutcome.Replied, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);
        }

        Assert.True(_scheduler.Time.Elapsed > TimeSpan.FromSeconds(50));
        Assert.True(reach.DownFor(Us) > TimeSpan.FromSeconds(30), $"{reach.DownFor(Us)}, busy: {reach.IsBusy(Us)}");
    });

    [Fact]
    public void Relaying_takes_one_hop() => _scheduler.Run(async () =>
    {
        Assert.Equal(ReplyOutcome.Refused, (await _relays[0].RequestAsync(Us, "geo.gsi", default)).Outcome);

        Assert.Empty(_links[0].Requests);
        Assert.All(_links[1..], links => Assert.False(Assert.Single(links.Requests).WasSent));
    });

    private SiblingRelay Relay(SiblingNet.Member silo, OwnLinks links) => new(
        links, silo, silo, Timeout, _scheduler.Time, new RelayLimits(MaxRelayed, MaxRelayedBytes));
}
