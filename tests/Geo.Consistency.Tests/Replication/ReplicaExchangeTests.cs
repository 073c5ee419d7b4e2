using Geo.Consistency.Tests.Kit;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Replication;

public sealed class ReplicaExchangeTests : IDisposable
{
    private static readonly GrainKey Grain = new("notes", "1");
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");

    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulationLane _lane;
    private readonly SimulatedNetwork _network;
    private readonly ReplicaExchange _a;
    private readonly ReplicaExchange _b;
    private Func<bool> _activate = () => false;

    public ReplicaExchangeTests()
    {
        _network = new SimulatedNetwork(_scheduler, new ChoiceTape("network", new Random(1)));
        _lane = _scheduler.CreateLane("grain");
        _a = new(_network.Join(A, _scheduler.CreateLane("a")), () => [A, B], (_, _) => new(false), _scheduler.Time, new Random(1));
        _b = new(
            _network.Join(B, _scheduler.CreateLane("b")), () => [A, B], (_, _) => new(_activate()), _scheduler.Time, new Random(2),
            new() { MaxWaitingRequests = 2, RequestTimeout = TimeSpan.FromSeconds(10) });
    }

    public void Dispose()
    {
        _a.Dispose();
        _b.Dispose();
    }

    [Fact]
    public void A_request_runs_on_the_grains_scheduler_and_brings_back_its_reply()
    {
        using var registration = _b.Register(Grain, new Replica((from, payload) => [.. payload, (byte)from.Name[0]]), _lane);
        var reply = Ask(activate: false);
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.Equal([7, (byte)'a'], reply.Payload.ToArray());
    }

    [Fact]
    public void A_grain_that_is_not_active_is_activated_only_where_the_request_asks_for_it()
    {
        Assert.Equal((ReplyOutcome.Replied, 0), (Ask(activate: false).Outcome, Ask(activate: false).Payload.Length));
        Assert.Equal(ReplyOutcome.Refused, Ask(activate: true).Outcome);
        _activate = () =>
        {
            _b.Register(Grain, new Replica((_, payload) => payload), _lane);
            return true;
        };
        Assert.Equal([7], Ask(activate: true).Payload.ToArray());
    }

    [Fact]
    public void More_waiting_requests_than_allowed_are_refused_at_once()
    {
        var gate = new TaskCompletionSource<ReadOnlyMemory<byte>>();
        using var registration = _b.Register(Grain, new Replica(gate.Task), _lane);
        _scheduler.Run(async () =>
        {
            var requests = Enumerable.Range(0, 3).Select(_ => AskAsync(activate: false)).ToList();
            await Task.Delay(TimeSpan.FromMilliseconds(500), _scheduler.Time);
            gate.SetResult(new byte[] { 1 });
            var outcomes = (await Task.WhenAll(requests)).Select(r => r.Outcome).ToList();
            Assert.Equal(2, outcomes.Count(o => o == ReplyOutcome.Replied));
            Assert.Single(outcomes, o => o == ReplyOutcome.Refused);
        });
    }

    [Fact]
    public void Requests_that_nobody_answers_do_not_keep_the_others_out()
    {
        var other = new GrainKey("notes", "2");
        using var silent = _b.Register(Grain, new SilentReplica(), _lane);
        using var registration = _b.Register(other, new Replica((_, payload) => payload), _lane);
        _scheduler.Run(async () =>
        {
            await Task.WhenAll(Enumerable.Range(0, 2).Select(_ => AskAsync(activate: false)));
            await Task.Delay(TimeSpan.FromSeconds(5), _scheduler.Time);
            var reply = await _a.LinkFor(replicated: true).RequestAsync(other, B, new byte[] { 7 }, activate: false);
            Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        });
    }

    [Fact]
    public void Of_notifications_that_wait_for_a_busy_grain_the_newest_is_taken()
    {
        var taken = new List<byte>();
        var scheduler = new HeldScheduler();
        using var registration = _b.Register(Grain, new Replica((_, payload) => { taken.Add(payload[0]); return []; }), scheduler);
        _scheduler.Run(async () =>
        {
            foreach (var n in new byte[] { 1, 2, 3 })
            {
                _a.LinkFor(replicated: true).Notify(Grain, new[] { n });
            }

            await Task.Delay(TimeSpan.FromMilliseconds(500), _scheduler.Time);
        });
        scheduler.RunAll();
        Assert.Equal([3], taken);
    }

    [Fact]
    public void A_disposed_registration_takes_nothing_and_another_may_follow()
    {
        var taken = 0;
        _b.Register(Grain, new Replica((_, _) => { taken++; return []; }), _lane).Dispose();
        _scheduler.Run(async () =>
        {
            _a.LinkFor(replicated: true).Notify(Grain, new byte[] { 1 });
            await Task.Delay(TimeSpan.FromMilliseconds(500), _scheduler.Time);
        });
        Assert.Equal(0, taken);
        using var second = _b.Register(Grain, new Replica((_, payload) => payload), _lane);
        Assert.Equal([7], Ask(activate: false).Payload.ToArray());
    }

    [Fact]
    public void A_view_that_its_host_gave_up_makes_room_for_the_next_one_and_is_disposed_of_on_its_own_scheduler()
    {
        var (stuck, former) = (new HeldScheduler(), new Replica((_, _) => [1]));
        using var given = _b.Register(Grain, former, stuck);
        using var next = _b.Register(Grain, new Replica((_, _) => [2]), _lane);
        Assert.Equal([2], Ask(activate: false).Payload.ToArray());

        stuck.RunAll();
        Assert.True(former.IsDisposed);
        given.Dispose();
        Assert.Equal([2], Ask(activate: false).Payload.ToArray());
    }

    [Fact]
    public void Every_instance_hears_on_its_own_scheduler_that_a_link_is_up_again()
    {
        var replica = new Replica((_, _) => []);
        using var registration = _b.Register(Grain, replica, _lane);
        _scheduler.Run(async () =>
        {
            _network.Isolate(A);
            _network.Heal();
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
        });
        Assert.Equal([A], replica.LinksUp.Distinct());
    }

    [Fact]
    public void A_messenger_that_carries_less_than_volatile_grains_may_have_is_refused_to_them_with_both_numbers()
    {
        static void Activate(int messageBytes, int stateBytes)
        {
            var options = new VersionedLeaderOptions { MaxBytes = stateBytes };
            using var exchange = Over(messageBytes, options);
            var services = new ViewServices(
                new CountingSerializer(), _ => throw new InvalidOperationException(), TimeProvider.System, new Random(1),
                NullLoggerFactory.Instance)
            {
                VersionedLeader = options,
            };
            VersionedViews.Create(new ViewContext<Notes, string>(
                new(Instancing.OnePerCluster, default, ViewProtocol.VersionedLeader, null, default), Grain, new NotesModel(),
                exchange.LinkFor(replicated: true), services));
        }

        var refused = Assert.Throws<GeoConfigurationException>(() => Activate(8_000_000, 8_000_000));
        Assert.Contains("8000000", refused.Message);
        Assert.Contains("MaxMessageBytes", refused.Message);
        Activate(8_000_000, 8_000_000 - (1024 * 1024));
    }

    [Fact]
    public void A_silo_without_volatile_grains_starts_over_a_messenger_that_carries_little()
    {
        using var exchange = Over(64 * 1024, null);
        Assert.Empty(exchange.Others);
    }

    [Fact]
    public void A_single_instance_grain_has_no_others()
    {
        var link = _a.LinkFor(replicated: false);
        Assert.Equal(A, link.Local);
        Assert.Empty(link.Others);
        Assert.Equal([B], _a.LinkFor(replicated: true).Others);
    }

    private static ReplicaExchange Over(int messageBytes, VersionedLeaderOptions? options) => new(
        new SmallMessenger(messageBytes), () => [A], (_, _) => new(false), TimeProvider.System, new Random(1), null, options);

    private ClusterReply Ask(bool activate) => _scheduler.Run(() => AskAsync(activate));

    private async Task<ClusterReply> AskAsync(bool activate) =>
        await _a.LinkFor(replicated: true).RequestAsync(Grain, B, new byte[] { 7 }, activate);

    /// <summary>It has no links.</summary>
    private sealed class SmallMessenger(int maxMessageBytes) : IClusterMessenger
    {
        public event Action<ClusterId>? LinkUp
        {
            add { }
            remove { }
        }

        public event Action<ClusterId>? LinkDown
        {
            add { }
            remove { }
        }

        public ClusterId LocalCluster => A;

        public int MaxMessageBytes => maxMessageBytes;

        public bool IsLinked(ClusterId cluster) => false;

        public ValueTask<ClusterReply> RequestAsync(
            ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
            CancellationToken cancellationToken = default) => new(ClusterReply.Refused("no link"));

        public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => false;

        public IDisposable Handle(string service, ClusterMessageHandler handler) => new MemoryStream();
    }

    private sealed class SilentReplica : IReplica
    {
        public async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
            ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return default;
        }

        public void LinkUp(ClusterId cluster)
        {
        }
    }

    private sealed class Replica(Func<ClusterId, byte[], byte[]>? answer, Task<ReadOnlyMemory<byte>>? later)
        : IReplica, IAsyncDisposable
    {
        public Replica(Func<ClusterId, byte[], byte[]> answer)
            : this(answer, null)
        {
        }

        public Replica(Task<ReadOnlyMemory<byte>> later)
            : this(null, later)
        {
        }

        public ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
            ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
            later is null ? new(answer!(from, payload.ToArray())) : new(later);

        public List<ClusterId> LinksUp { get; } = [];

        public bool IsDisposed { get; private set; }

        public ValueTask DisposeAsync()
        {
            IsDisposed = true;
            return default;
        }

        public void LinkUp(ClusterId cluster) => LinksUp.Add(cluster);
    }

    /// <summary>A grain that is busy until it is told to run.</summary>
    private sealed class HeldScheduler : TaskScheduler
    {
        private readonly Queue<Task> _tasks = new();

        public void RunAll()
        {
            while (_tasks.TryDequeue(out var task))
            {
                TryExecuteTask(task);
            }
        }

        protected override void QueueTask(Task task) => _tasks.Enqueue(task);

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => _tasks;
    }
}
