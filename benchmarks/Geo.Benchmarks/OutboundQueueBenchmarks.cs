using BenchmarkDotNet.Attributes;
using Geo.Messaging;

namespace Geo.Benchmarks;

/// <summary>
/// A lane's queue alone: messages appended, taken as one batch and released, as the writer does; the figures are by message.
/// </summary>
[MemoryDiagnoser]
public class OutboundQueueBenchmarks
{
    private const int Messages = 128;
    private const int MaxMessageBytes = 1024 * 1024;
    private static readonly PartitionKey Key = PartitionKey.From(7);
    private readonly OutboundQueue _queue = new(new ChannelOptions(), MaxMessageBytes, TimeProvider.System, static (_, _) => { });
    private readonly List<ArraySegment<byte>> _batch = [];
    private byte[] _payload = [];

    [Params(100, 1024)]
    public int PayloadBytes { get; set; }

    [GlobalSetup]
    public void Prepare() => _payload = new byte[PayloadBytes];

    [Benchmark(OperationsPerInvoke = Messages)]
    public int AppendTakeRelease()
    {
        for (var message = 0; message < Messages; message++)
        {
            _queue.TryAppend(FrameKind.OneWay, 0, "service", _payload, Key, out _);
        }

        var sent = 0;
        while (_queue.TryTake(_batch))
        {
            sent += _queue.Release();
        }

        return sent;
    }
}
