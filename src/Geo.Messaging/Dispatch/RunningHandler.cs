using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.InteropServices;
using Awaiter = System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable<System.ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter;

namespace Geo.Messaging;

/// <summary>A message that has arrived and its handler; reused by its lane.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The source has no timer and no wait handle: there is nothing to dispose.")]
internal sealed class RunningHandler
{
    private const int MostOwnBytes = 1024;

    private readonly Action _continue;
    private CancellationTokenSource _cancellation = new();
    private Awaiter _awaiter;
    private byte[] _rented = [];

    // Small payloads are kept here: more of them wait at once than a pool holds.
    private byte[] _own = [];

    public RunningHandler(InboundMessages owner)
    {
        _continue = () => owner.Finish(this, _awaiter);
        Place = new LinkedListNode<RunningHandler>(this);
    }

    public LinkedListNode<RunningHandler> Place { get; }

    public ulong Number { get; private set; }

    public bool ExpectsReply { get; private set; }

    public ServiceHandler Handler { get; private set; } = null!;

    /// <summary>The message when it came in pieces, or behind one that did; null for any other.</summary>
    public HeldMessage? Held { get; private set; }

    /// <summary>What it counts of what may wait to be started.</summary>
    public int Bytes { get; set; }

    /// <summary>False when there was no memory for its payload, which is gone.</summary>
    public bool HasRoom { get; set; } = true;

    /// <summary>What it counts of the memory of messages that are not held.</summary>
    public int CountedBytes => HasRoom ? Bytes : 0;

    public string? Refusal { get; set; }

    /// <summary>The message's bytes, valid until <see cref="End"/>.</summary>
    public ReadOnlyMemory<byte> Payload { get; private set; }

    /// <summary>The trace that the message is part of; none when it carries none or nobody listens.</summary>
    public ActivityContext Trace { get; private set; }

    /// <summary>The span around the handler; null when nobody listens.</summary>
    public Activity? Span { get; set; }

    /// <summary>When the handler began, as a timestamp of the clock; null when nobody asks.</summary>
    public long? Began { get; set; }

    /// <summary>Set when the requester gives up or the lane ends.</summary>
    public CancellationToken Token => _cancellation.Token;

    /// <summary>Takes a message over; the bytes of one that is not held are copied, because they must outlive the receive buffer.</summary>
    public void Take(
        FrameHeader header, ReadOnlySpan<byte> preface, ServiceHandler handler, ReadOnlyMemory<byte> payload, HeldMessage? held = null)
    {
        (Number, ExpectsReply, Handler, Payload, Held) = (header.Number, header.Kind == FrameKind.Request, handler, payload, held);
        Trace = MessagingTraces.Of(header, preface);
        if (payload.IsEmpty || held is not null)
        {
            return;
        }

        if (payload.Length > MostOwnBytes)
        {
            _rented = ArrayPool<byte>.Shared.Rent(payload.Length);
        }
        else if (payload.Length > _own.Length)
        {
            _own = new byte[BitOperations.RoundUpToPowerOf2((uint)payload.Length)];
        }

        var copy = (_rented.Length > 0 ? _rented : _own).AsMemory(0, payload.Length);
        payload.CopyTo(copy);
        Payload = copy;
    }

    /// <summary>Gives away the buffer of a large message when the reply lies in it.</summary>
    public bool TryDetach(ReadOnlyMemory<byte> reply, out ArraySegment<byte> rented)
    {
        rented = default;
        return Held is not null && MemoryMarshal.TryGetArray(reply, out rented)
            && MemoryMarshal.TryGetArray(Payload, out var own) && rented.Array == own.Array && Held.Detach() is not null;
    }

    public void Await(ValueTask<ReadOnlyMemory<byte>> task)
    {
        _awaiter = task.ConfigureAwait(false).GetAwaiter();
        _awaiter.UnsafeOnCompleted(_continue);
    }

    /// <summary>Asks the handler to stop, without running its callbacks here.</summary>
    public void Cancel() => _ = _cancellation.CancelAsync();

    /// <summary>Gives the copy of a message's bytes back, for which there is no memory.</summary>
    public void DropPayload()
    {
        if (_rented.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_rented);
            _rented = [];
        }

        Payload = default;
    }

    public void End()
    {
        DropPayload();
        Held?.Release();
        (_awaiter, Trace, Span, Held, Refusal, Bytes, HasRoom) = (default, default, null, null, null, 0, true);

        if (!_cancellation.TryReset())
        {
            _cancellation = new CancellationTokenSource();
        }
    }
}
