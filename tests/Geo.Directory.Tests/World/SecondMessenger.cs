using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>
/// The messenger of a further silo of a cluster, over the first one's link: it sends, but the requests of others reach the first silo.
/// </summary>
internal sealed class SecondMessenger(IClusterMessenger first) : MessengerOver(first)
{
    public override IDisposable Handle(string service, ClusterMessageHandler handler) => new Nothing();

    private sealed class Nothing : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
