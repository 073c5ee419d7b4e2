using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>A handler that has been started for one message; reused by its lane. Begun on the lane's receive loop only.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The source has no timer and no wait handle: there is nothing to dispose.")]
internal sealed class RunningHandler
{
    private readonly InboundMessages _owner;
    private readonly Action _continue;
    private CancellationTokenSource _cancellation = new();
    private ConfiguredValueTaskAwaitable<ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter _awaiter;
    private byte[] _payload = [];

    public RunningHandler(InboundMessages owner) => (_owner, _continue) = (owner, () => _owner.Finish(this, _awaiter));

    /// <summary>The request's number.</summary>
    public ulong Number { get; private set; }

    /// <summary>False for a one-way message.</summary>
    public bool ExpectsReply { get; private set; }

    /// <summary>The service that is called.</summary>
    public string Service { get; private set; } = "";

    /// <summary>The span around the handler; null when nobody listens.</summary>
    public Activity? Span { get; set; }

    /// <summary>Set when the requester gives up or the lane ends.</summary>
    public CancellationToken Token => _cancellation.Token;

    /// <summary>Takes the message over: its bytes are copied, because they must outlive the receive buffer.</summary>
    public ReadOnlyMemory<byte> Begin(ulong number, bool expectsReply, string service, ReadOnlyMemory<byte> payload, bool owned)
    {
        (Number, ExpectsReply, Service) = (number, expectsReply, service);
        if (_cancellation.IsCancellationRequested)
        {
            _cancellation = new CancellationTokenSource();
        }

        if (owned || payload.IsEmpty)
        {
            return payload;
        }

        _payload = ArrayPool<byte>.Shared.Rent(payload.Length);
        payload.CopyTo(_payload);
        return _payload.AsMemory(0, payload.Length);
    }

    /// <summary>Goes on when the handler's task ends.</summary>
    public void Await(ValueTask<ReadOnlyMemory<byte>> task)
    {
        _awaiter = task.ConfigureAwait(false).GetAwaiter();
        _awaiter.UnsafeOnCompleted(_continue);
    }

    /// <summary>Asks the handler to stop, without running its callbacks here.</summary>
    public void Cancel() => _ = _cancellation.CancelAsync();

    /// <summary>Gives back what the message used.</summary>
    public void End()
    {
        (_awaiter, Span) = (default, null);
        if (_payload.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_payload);
            _payload = [];
        }

        if (!_cancellation.TryReset())
        {
            _cancellation = new CancellationTokenSource();
        }
    }
}
