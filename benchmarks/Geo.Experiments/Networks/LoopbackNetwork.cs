using System.Diagnostics;
using System.Net;

namespace Geo.Experiments.Networks;

/// <summary>The machine's own loopback.</summary>
internal sealed class LoopbackNetwork : IExperimentNetwork
{
    public NetworkKind Kind => NetworkKind.Loopback;

    public IPAddress AddressOf(int place) => IPAddress.Loopback;

    public IPEndPoint Route(int from, int to, int port) => new(IPAddress.Loopback, port);

    public ProcessStartInfo At(int place, ProcessStartInfo start) => start;

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
