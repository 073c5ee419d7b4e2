using BenchmarkDotNet.Attributes;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Benchmarks;

/// <summary>Two nodes in this process over a loopback connection, with dispatch; the figures are by message and count both nodes.</summary>
[MemoryDiagnoser]
public class LoopbackBenchmarks
{
    private const int Requests = 128;
    private const int OneWays = 8 * 1024;
    private const string EchoService = "echo";
    private const string CountService = "count";

    private readonly PeerId _server = new("server");
    private readonly ValueTask<ClusterReply>[] _replies = new ValueTask<ClusterReply>[Requests];
    private MessagingNode? _listening;
    private MessagingNode? _dialling;
    private byte[] _payload = [];
    private int _awaited;
    private TaskCompletionSource _allCounted = new();

    [Params(100, 1024)]
    public int PayloadBytes { get; set; }

    // Synchronous, and until the link is listed: the first request was refused without.
    [GlobalSetup]
    public void Start() => StartAsync().GetAwaiter().GetResult();

    private async Task StartAsync()
    {
        _payload = new byte[PayloadBytes];
        _listening = NodeOf(_server, PeerAddress.Loopback());
        _dialling = NodeOf(new PeerId("client"), null);
        _listening.Handle(EchoService, (message, _) => ValueTask.FromResult(message.Payload));
        _listening.Handle(CountService, (_, _) =>
        {
            if (Interlocked.Decrement(ref _awaited) == 0)
            {
                _allCounted.SetResult();
            }

            return default;
        });
        await _listening.StartAsync();
        await _dialling.StartAsync();
        await _dialling.JoinAsync(_listening.ListeningOn!);
        while (_dialling.Members.Count == 0)
        {
            await Task.Delay(1);
        }
    }

    [GlobalCleanup]
    public async Task StopAsync()
    {
        await _dialling!.DisposeAsync();
        await _listening!.DisposeAsync();
    }

    /// <summary>128 requests under way at once.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public async Task RequestAsync()
    {
        for (var request = 0; request < Requests; request++)
        {
#pragma warning disable CA2012 // Each is awaited once, below.
            _replies[request] = _dialling!.RequestAsync(_server, EchoService, _payload);
#pragma warning restore CA2012
        }

        for (var request = 0; request < Requests; request++)
        {
            var reply = await _replies[request];
            if (reply.Outcome != ReplyOutcome.Replied)
            {
                throw new InvalidOperationException($"A request was not answered: {reply.Outcome}, {reply.Reason}");
            }
        }
    }

    /// <summary>Sent as fast as there is room, until the last has arrived.</summary>
    [Benchmark(OperationsPerInvoke = OneWays)]
    public async Task OneWayAsync()
    {
        _awaited = OneWays;
        _allCounted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        for (var message = 0; message < OneWays; message++)
        {
            if (await _dialling!.SendAsync(_server, CountService, _payload) != SendOutcome.Queued)
            {
                throw new InvalidOperationException("A message was not sent.");
            }
        }

        await _allCounted.Task;
    }

    private static MessagingNode NodeOf(PeerId peer, PeerAddress? listenOn) =>
        new(new MessagingOptions { Peer = peer, ListenOn = listenOn }, TimeProvider.System, NullLoggerFactory.Instance);
}
