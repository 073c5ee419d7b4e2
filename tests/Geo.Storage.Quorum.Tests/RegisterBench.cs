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
    public QuorumConditionalStore Open(ClusterId cluster, IConditionalStore disk) => Open(cluster, disk, out _);

    /// <inheritdoc cref="Open(ClusterId, IConditionalStore)"/>
    public QuorumConditionalStore Open(ClusterId cluster, IConditionalStore disk, out IDisposable part)
    {
        var store = new QuorumConditionalStore(Configuration, disk, Options, Time, new Random(++_opened));
        part = store.Join(_network.Join(cluster, _scheduler.Root));
        return store;
    }

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

    /// <summary>What an acceptor over a store answers, however long it takes.</summary>
    public async Task<QuorumReply?> AnswerAsync(IConditionalStore disk, QuorumRequest request) =>
        await new QuorumAcceptor(disk, Options, Time, NullLogger.Instance).AnswerAsync(request, CancellationToken.None);

    /// <summary>A request that was under way arrives at an acceptor.</summary>
    public async Task<QuorumReply?> ArriveAsync(ClusterId at, QuorumRequest request)
    {
        var reply = await _network.Join(new ClusterId("late"), _scheduler.Root).RequestAsync(
            at, Service, QuorumCodec.Write(Configuration.Digest, request));
        return reply.Payload.IsEmpty ? null : QuorumCodec.ReadReply(reply.Payload.Span);
    }
}
