namespace Geo.Testing.Tests;

public class SimulatedNetworkTests
{
    private static readonly ClusterId Eu = new("eu");
    private static readonly ClusterId Us = new("us");
    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulatedNetwork _network;
    private readonly SimulationLane _usLane;
    private readonly SimulatedMessenger _eu;
    private readonly SimulatedMessenger _us;
    private readonly List<byte> _received = [];

    public SimulatedNetworkTests()
    {
        _network = new SimulatedNetwork(_scheduler, new ChoiceTape("network", new Random(1)));
        _usLane = _scheduler.CreateLane("us");
        _eu = _network.Join(Eu, _scheduler.CreateLane("eu"));
        _us = _network.Join(Us, _usLane);
        _us.Handle("echo", (message, _) =>
        {
            _received.Add(message.Payload.Span[0]);
            return new(message.Payload);
        });
    }

    [Fact]
    public void A_request_brings_the_handlers_reply_after_two_delays()
    {
        var reply = Request("echo");
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.Equal(7, reply.Payload.Span[0]);
        Assert.InRange(_scheduler.Time.Elapsed.TotalMilliseconds, 40, 240);
    }

    [Fact]
    public void A_request_for_a_service_that_nobody_handles_is_refused() =>
        Assert.Equal(ReplyOutcome.Refused, Request("other").Outcome);

    [Fact]
    public void A_request_to_an_unknown_cluster_is_refused() =>
        Assert.Equal(
            ReplyOutcome.Refused,
            _scheduler.Run(async () => await _eu.RequestAsync(new ClusterId("asia"), "echo", new byte[] { 7 })).Outcome);

    [Fact]
    public void A_lost_request_ends_as_unknown_when_its_time_out_has_passed()
    {
        _network.Options.Loss = 1;
        Assert.Equal(ReplyOutcome.Unknown, Request("echo").Outcome);
        Assert.Equal(TimeSpan.FromSeconds(2), _scheduler.Time.Elapsed);
        Assert.Empty(_received);
    }

    [Fact]
    public void With_the_way_back_cut_a_request_is_handled_and_ends_as_unknown()
    {
        _network.Cut(Us, Eu);
        Assert.Equal(ReplyOutcome.Unknown, Request("echo").Outcome);
        Assert.Equal([7], _received);
    }

    [Fact]
    public void With_the_way_there_cut_a_request_is_refused_or_unknown_and_never_handled()
    {
        _network.Cut(Eu, Us);
        var outcomes = Enumerable.Range(0, 40).Select(_ => Request("echo").Outcome).Distinct().Order();
        Assert.Equal([ReplyOutcome.Unknown, ReplyOutcome.Refused], outcomes);
        Assert.Empty(_received);
    }

    [Fact]
    public void A_handler_that_fails_ends_the_request_as_unknown()
    {
        _us.Handle("broken", (_, _) => throw new FormatException());
        Assert.Equal(ReplyOutcome.Unknown, Request("broken").Outcome);
    }

    [Fact]
    public void A_request_to_a_halted_silo_is_unknown_and_its_next_incarnation_answers()
    {
        _usLane.Halt();
        Assert.Equal(ReplyOutcome.Unknown, Request("echo").Outcome);

        var heard = new List<ClusterId>();
        _eu.LinkUp += heard.Add;
        _network.Join(Us, _scheduler.CreateLane("us again")).Handle("echo", (message, _) => new(message.Payload));
        Assert.Equal(ReplyOutcome.Replied, Request("echo").Outcome);
        Assert.Equal([Us], heard);
    }

    [Fact]
    public void Messages_of_one_key_keep_their_order_and_others_overtake()
    {
        Send(i => i % 2 == 0 ? PartitionKey.From("even") : PartitionKey.From("odd"));
        Assert.Equal(100, _received.Count);
        Assert.Equal(Enumerable.Range(0, 50).Select(i => (byte)(2 * i)), _received.Where(i => i % 2 == 0));
        Assert.Equal(Enumerable.Range(0, 50).Select(i => (byte)((2 * i) + 1)), _received.Where(i => i % 2 == 1));
        Assert.NotEqual(_received.Order(), _received);
        Assert.True(_network.Counts.Overtaken > 0);
    }

    [Fact]
    public void One_way_messages_arrive_twice_as_often_as_asked()
    {
        _network.Options.Duplication = 1;
        Send(_ => null);
        Assert.Equal(200, _received.Count);
        Assert.Equal(100, _network.Counts.Duplicated);
    }

    [Fact]
    public void Healing_a_cut_link_lets_both_ends_hear_of_it()
    {
        var heard = new List<string>();
        _eu.LinkUp += other => heard.Add($"eu hears {other}");
        _us.LinkUp += other => heard.Add($"us hears {other}");
        _network.Isolate(Eu);
        _network.Heal();
        _scheduler.Run(() => Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time));
        Assert.Equal(["eu hears us", "us hears eu"], heard.Order());
    }

    private ClusterReply Request(string service) =>
        _scheduler.Run(async () => await _eu.RequestAsync(Us, service, new byte[] { 7 }));

    private void Send(Func<int, PartitionKey?> key) => _scheduler.Run(async () =>
    {
        for (var i = 0; i < 100; i++)
        {
            Assert.True(_eu.TrySend(Us, "echo", new[] { (byte)i }, new MessageOptions(PartitionKey: key(i))));
        }

        await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
    });
}
