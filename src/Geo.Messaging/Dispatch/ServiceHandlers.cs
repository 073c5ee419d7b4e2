using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Geo.Messaging;

/// <summary>The handlers of a node by service, found by the name's bytes as they arrive.</summary>
internal sealed class ServiceHandlers
{
    private readonly ConcurrentDictionary<string, ServiceHandler> _byName;
    private readonly ConcurrentDictionary<string, ServiceHandler>.AlternateLookup<ReadOnlySpan<char>> _bySpan;

    // The one found last: most messages are for the service of the message before.
    private volatile ServiceHandler? _last;

    public ServiceHandlers()
    {
        _byName = new(StringComparer.Ordinal);
        _bySpan = _byName.GetAlternateLookup<ReadOnlySpan<char>>();
    }

    /// <summary>Registers a handler until the returned registration is disposed.</summary>
    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The service has a handler already.</exception>
    public IDisposable Add(ServiceHandler handler)
    {
        CheckName(handler.Service);
        return _byName.TryAdd(handler.Service, handler)
            ? new Registration(this, handler)
            : throw new InvalidOperationException($"The service '{handler.Service}' has a handler already.");
    }

    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
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
        if (!_bySpan.TryGetValue(text[..Encoding.UTF8.GetChars(name, text)], out handler))
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
