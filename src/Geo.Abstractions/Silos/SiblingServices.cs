using System.Collections.Concurrent;

namespace Geo;

/// <summary>The services that a silo answers to its siblings, by name: the receiving half of an <see cref="ISiblings"/>.</summary>
internal sealed class SiblingServices
{
    private readonly ConcurrentDictionary<string, SiblingHandler> _handlers = new(StringComparer.Ordinal);

    public IDisposable Handle(string service, SiblingHandler handler) =>
        _handlers.TryAdd(service, handler)
            ? new Registration(() => _handlers.TryRemove(new(service, handler)))
            : throw new InvalidOperationException(
                $"Service '{service}' of the silos among each other has a handler already; dispose it first.");

    /// <summary>The answer to a question; null when the service is not, or no longer, there.</summary>
    public async ValueTask<ReadOnlyMemory<byte>?> AnswerAsync(
        string service, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        if (_handlers.TryGetValue(service, out var handler))
        {
            return await handler(payload, cancellationToken);
        }

        // Not in one conditional expression, in which null would become an empty memory by way of an array, and so an answer.
        return null;
    }

    private sealed class Registration(Action remove) : IDisposable
    {
        public void Dispose() => remove();
    }
}
