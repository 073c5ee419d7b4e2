using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Geo.Messaging.Amqp;

/// <summary>
/// What waits to be sent to the broker, in order: frames up to a limit, and the few messages of the transport itself, for which there is
/// always room. Safe to use from any thread; read by one.
/// </summary>
internal sealed class OutboundFrames(AmqpOptions options)
{
    private readonly Channel<Outgoing> _waiting = Channel.CreateUnbounded<Outgoing>(new UnboundedChannelOptions { SingleReader = true });
    private readonly Lock _lock = new();
    private int _frames;
    private long _bytes;

    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Adds a frame, if there is room.</summary>
    public bool TryAdd(Outgoing frame)
    {
        lock (_lock)
        {
            if (_frames >= options.OutboundMessages || (_frames > 0 && _bytes + frame.Body.Length > options.OutboundBytes))
            {
                return false;
            }

            _frames++;
            _bytes += frame.Body.Length;
            return _waiting.Writer.TryWrite(frame);
        }
    }

    /// <summary>Adds a message of the transport itself.</summary>
    public void Add(Outgoing message) => _waiting.Writer.TryWrite(message);

    public bool TryTake([NotNullWhen(true)] out Outgoing? next)
    {
        if (!_waiting.Reader.TryRead(out next))
        {
            return false;
        }

        if (next.Kind == EnvelopeKind.Frame)
        {
            lock (_lock)
            {
                _frames--;
                _bytes -= next.Body.Length;
            }
        }

        return true;
    }

    public async ValueTask WaitAsync(CancellationToken cancellationToken) => await _waiting.Reader.WaitToReadAsync(cancellationToken);
}
