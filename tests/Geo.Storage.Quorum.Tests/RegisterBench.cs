using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// Three clusters with a store each, and clients in clusters that keep nothing, whose every message a test decides about; in virtual time,
/// on one thread.
/// </summary>
internal sealed class RegisterBench
{
    public static readonly ClusterId Us = new("us"), Eu = new("eu"), Asia = new("asia");

    public static readonly ClusterId[] Clusters = [Us, Eu, Asia];

    private const string Service = "geo/quorum";

    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulatedNetwork _network;
    private readonly Dictionary<ClusterId, IConditionalStore> _disks = [];
    private readonly Dictionary<ClusterId, IDisposable> _parts = [];
    private int _opened;

    public RegisterBench()
    {
        _network = new SimulatedNetwork(
            _scheduler, new Choices(new SimulationSeed(1)).Tape("network"),
            new SimulatedNetworkOptions { MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(1) });
    }

    public VirtualTime Time => _scheduler.Time;

    public SimulatedNetwork Network => _network;

    /// <summary>The settings of stores opened from now on: nothing sweeps unless it is told to.</summary>
    public QuorumStoreOptions Options { get; set; } = new() { SweepEvery = null };

    /// <summary>The list of stores opened from now on.</summary>
    public QuorumConfiguration Configuration { get; set; } = new(1, Clusters);

    /// <summary>Runs a script, with rules switched off or none.</summary>
    public void Run(Func<Task> script, params ProtocolRule[] without)
    {
        SwitchedOff.Set(without);
        try
        {
            _scheduler.Run(script);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    /// <summary>The acceptor of a cluster, and what uses the store there.</summary>
    public QuorumConditionalStore Open(ClusterId cluster, IConditionalStore disk)
    {
        var store = new QuorumConditionalStore(Configuration, disk, Options, Time, new Random(++_opened));
        _disks[cluster] = disk;
        _parts[cluster] = store.Join(_network.Join(cluster, _scheduler.Root));
        return store;
    }

    /// <summary>A cluster that does not use the store.</summary>
    public void Link(ClusterId cluster) => _network.Join(cluster, _scheduler.Root);

    /// <summary>What the acceptor of a cluster keeps its rows in.</summary>
    public IConditionalStore DiskOf(ClusterId cluster) => _disks[cluster];

    /// <summary>The acceptor of a cluster answers no more.</summary>
    public void Close(ClusterId cluster) => _parts[cluster].Dispose();

    /// <summary>Acceptors in all clusters, each in memory unless it is given one.</summary>
    public QuorumConditionalStore[] OpenAll(params IConditionalStore[] disks) =>
        [.. Clusters.Select((c, i) => Open(c, i < disks.Length ? disks[i] : new InMemoryConditionalStore()))];

    /// <summary>A store that asks all clusters by messages.</summary>
    public (QuorumConditionalStore Store, ScriptedMessenger Script) Client(string name)
    {
        var script = new ScriptedMessenger(_network.Join(new ClusterId(name), _scheduler.Root));
        var store = new QuorumConditionalStore(Configuration, rows: null, Options, Time, new Random(++_opened));
        store.Join(script);
        return (store, script);
    }

    /// <summary>The acceptor of one more silo of a cluster, over the cluster's store.</summary>
    public QuorumAcceptor Silo(ClusterId cluster, IConditionalStore disk) =>
        new(cluster, Configuration, new(disk, Options, Time, new Random(++_opened), NullLogger.Instance), Options, Time);

    /// <summary>What a new silo's acceptor over the store of a cluster answers, however long it takes.</summary>
    public async Task<QuorumReply?> AnswerAsync(ClusterId cluster, IConditionalStore disk, QuorumRequest request) =>
        await Silo(cluster, disk).AnswerAsync(await DigestAsync(disk), request, CancellationToken.None);

    /// <summary>The list of stores that a store was founded with; 0 for none.</summary>
    public static async Task<ulong> DigestAsync(IConditionalStore disk)
    {
        var read = await disk.ReadAsync(OwnKeys.Meta);
        return read.Outcome == StoreReadOutcome.Found ? QuorumCodec.ReadMeta(read.Value.Span).Kept?.Digest ?? 0 : 0;
    }

    /// <summary>A request that was under way arrives at an acceptor.</summary>
    public async Task<QuorumReply?> ArriveAsync(ClusterId at, QuorumRequest request)
    {
        var reply = await _network.Join(new ClusterId("late"), _scheduler.Root).RequestAsync(
            at, Service, QuorumCodec.Write(await DigestAsync(_disks[at]), request));
        return reply.Payload.IsEmpty ? null : QuorumCodec.ReadReply(reply.Payload.Span);
    }
}
