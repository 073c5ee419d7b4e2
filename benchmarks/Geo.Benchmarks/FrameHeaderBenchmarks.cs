using BenchmarkDotNet.Attributes;
using Geo.Messaging;

namespace Geo.Benchmarks;

/// <summary>The codec: a frame's header written and read, which is all that is coded; the payload is copied as it is.</summary>
[MemoryDiagnoser]
public class FrameHeaderBenchmarks
{
    private const int MaxPayloadBytes = 1024 * 1024;
    private readonly byte[] _bytes = new byte[FrameHeader.Size];
    private readonly FrameHeader _header = new(FrameKind.Request, 42, 4, 100);

    public FrameHeaderBenchmarks() => _header.Write(_bytes);

    [Benchmark]
    public void Write() => _header.Write(_bytes);

    [Benchmark]
    public bool Read() => FrameHeader.TryRead(_bytes, MaxPayloadBytes, out _, out _);
}
