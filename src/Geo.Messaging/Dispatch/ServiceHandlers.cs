using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Geo.Messaging;

/// <summary>The handlers of a node by service, found by the name's bytes as they arrive.</summary>
internal sealed class ServiceHandlers
{
    private readonly ConcurrentDictionary<string, ServiceHandler> _byName = new(StringComparer.Ordinal);

    // The one found last: most messages are for the service of the message before.
    private volatile ServiceHandler? _last;

    public IDisposable Add(ServiceHandler handler)
    {
        CheckName(handler.Service);
        return _byName.TryAdd(handler.Service, handler)
            ? new Registration(this, handler)
            : throw new InvalidOperationException($"The service '{handler.Service}' has a handler already.");
    }

    public static void CheckName(string service)
    {
        ArgumentException.ThrowIfNullOrEmpty(service);
        if (service.Length > FrameHeader.MaxServiceBytes / 4 && Encoding.UTF8.GetByteCount(service) > FrameHeader.MaxServiceBytes)
        {
            throw new ArgumentException(
                $"The service name '{service}' is longer than {FrameHeader.MaxServiceBytes} bytes.", nameof(service));
        }
    }

    public bool TryFind(ReadOnlySpan<byte> name, [NotNullWhen(true)] out ServiceHandler? handler)
    {
        handler = _last;
        if (handler is { IsRegistered: true } && name.SequenceEqual(handler.Name))
        {
            return true;
        }

        Span<char> text = stackalloc char[FrameHeader.MaxServiceBytes];
        var byName = _byName.GetAlternateLookup<ReadOnlySpan<char>>();
        if (!byName.TryGetValue(text[..Encoding.UTF8.GetChars(name, text)], out handler))
        {
            return false;
        }

        _last = handler;
        return true;
    }

    private sealed class Registration(ServiceHandlers owner, ServiceHandler handler) : IDisposable
    {
        public void Dispose()
        {
            handler.IsRegistered = false;
            owner._byName.TryRemove(KeyValuePair.Create(handler.Service, handler));
        }
    }
}
