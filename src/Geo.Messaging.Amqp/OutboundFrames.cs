using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging.Amqp;

/// <summary>
/// What waits to be sent to the broker, in order: frames up to a limit, and the few messages of the transport itself up to another, so that
/// frames never take their room. Safe to use from any thread; read by one.
/// </summary>
internal sealed class OutboundFrames(AmqpOptions options)
{
    private readonly Lock _lock = new();
    private readonly Queue<Outgoing> _waiting = new();
    private TaskCompletionSource? _filled;
    private int _frames;
    private long _bytes;
    private long _ownBytes;

    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Adds a message, if there is room among those of its kind.</summary>
    public bool TryAdd(Outgoing message)
    {
        lock (_lock)
        {
            if (message.Kind != EnvelopeKind.Frame)
            {
                if (_ownBytes + message.Body.Length > options.OutboundOwnBytes)
                {
                    return false;
                }

                _ownBytes += message.Body.Length;
            }
            else if (_frames >= options.OutboundMessages || (_frames > 0 && _bytes + message.Body.Length > options.OutboundBytes))
            {
                return false;
            }
            else
            {
                _frames++;
                _bytes += message.Body.Length;
            }

            _waiting.Enqueue(message);
            _filled?.TrySetResult();
            _filled = null;
            return true;
        }
    }

    public bool TryTake([NotNullWhen(true)] out Outgoing? next)
    {
        lock (_lock)
        {
            if (!_waiting.TryDequeue(out next))
            {
                return false;
            }

            if (next.Kind != EnvelopeKind.Frame)
            {
                _ownBytes -= next.Body.Length;
                return true;
            }

            _frames--;
            _bytes -= next.Body.Length;
            return true;
        }
    }

    /// <summary>Ends when something waits.</summary>
    public Task WaitAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _waiting.Count > 0 ? Task.CompletedTask
                : (_filled ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task.WaitAsync(cancellationToken);
        }
    }
}
