using System.Text;

namespace Geo.Messaging;

/// <summary>The handler of a service.</summary>
internal sealed class ServiceHandler(string service, PeerMessageHandler invoke, bool clustersOnly)
{
    private readonly byte[] _name = Encoding.UTF8.GetBytes(service);
    private volatile bool _isRegistered = true;

    public string Service { get; } = service;

    public PeerMessageHandler Invoke { get; } = invoke;

    public bool ClustersOnly { get; } = clustersOnly;

    public ReadOnlySpan<byte> Name => _name;

    /// <summary>False once its registration has been disposed.</summary>
    public bool IsRegistered
    {
        get => _isRegistered;
        set => _isRegistered = value;
    }
}
