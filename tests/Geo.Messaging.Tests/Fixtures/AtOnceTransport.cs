using System.Collections.Concurrent;

namespace Geo.Messaging.Tests;

/// <summary>A listener at which connections wait, one behind the other, whose diallers have said all that they will ever say.</summary>
internal sealed class AtOnceTransport(IEnumerable<AtOnceTransport.Wire> wires) : IWireTransport, IWireListener
{
    private readonly ConcurrentQueue<Wire> _waiting = new(wires);

    /// <summary>Set when all have been accepted, and what could be done with them at once has been.</summary>
    public TaskCompletionSource AllAccepted { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public PeerAddress Address { get; } = PeerAddress.Loopback(1);

    public IWireListener Listen(PeerAddress address) => this;

    public ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken)
    {
        if (_waiting.TryDequeue(out var wire))
        {
            return wire;
        }

        AllAccepted.TrySetResult();
        await Task.Delay(Timeout.Infinite, cancellationToken);
        throw new InvalidOperationException("That was the last.");
    }

    public void Dispose()
    {
    }

    /// <summary>Its dialler has said this, and keeps it open.</summary>
    internal sealed class Wire(params byte[][] said) : IWireConnection
    {
        private readonly TaskCompletionSource<int> _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly byte[] _said = [.. said.SelectMany(bytes => bytes)];
        private int _read;

        public string Remote => "one:1";

        public bool IsClosed => _closed.Task.IsCompleted;

        public ValueTask<int> ReceiveAsync(Memory<byte> buffer)
        {
            var next = Math.Min(buffer.Length, _said.Length - _read);
            _said.AsSpan(_read, next).CopyTo(buffer.Span);
            _read += next;
            return next > 0 ? new(next) : new(_closed.Task);
        }

        public ValueTask SendAsync(List<ArraySegment<byte>> segments) => ValueTask.CompletedTask;

        public void FinishSending()
        {
        }

        public void Dispose() => _closed.TrySetException(new IOException("closed"));
    }
}
