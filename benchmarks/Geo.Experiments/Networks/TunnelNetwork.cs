using System.Diagnostics;
using System.Net;
using Geo.Emulation;

namespace Geo.Experiments.Networks;

/// <summary>A namespace for each place and a userspace router between them: real TCP with a real round trip.</summary>
internal sealed class TunnelNetwork(TimeSpan roundTrip, int places) : IExperimentNetwork
{
    private readonly TunnelRouter _router = TunnelRouter.Start(new TunnelRouterOptions { Sites = places, OneWayDelay = roundTrip / 2 });

    public NetworkKind Kind => NetworkKind.Tunnels;

    public IPAddress AddressOf(int place) => _router.Sites[place].Address;

    public IPEndPoint Route(int from, int to, int port) => new(AddressOf(to), port);

    public ProcessStartInfo At(int place, ProcessStartInfo start) => _router.Sites[place].Inside(start);

    public ValueTask DisposeAsync()
    {
        _router.Dispose();
        return ValueTask.CompletedTask;
    }
}
