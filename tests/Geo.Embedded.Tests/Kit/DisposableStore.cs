using Geo.Testing;

namespace Geo.Embedded.Tests;

internal sealed class DisposableStore() : StoreOver(new InMemoryConditionalStore()), IDisposable
{
    public bool IsDisposed { get; private set; }

    public void Dispose() => IsDisposed = true;
}
