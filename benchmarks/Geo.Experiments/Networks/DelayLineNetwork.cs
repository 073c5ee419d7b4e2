using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using Geo.Testing.Wan;

namespace Geo.Experiments.Networks;

/// <summary>
/// Loopback with a delay line for every pair of places. It delays bytes but not acknowledgements, so that a connection's window does not
/// bind as it would over distance: what parallel connections gain there does not show here.
/// </summary>
internal sealed class DelayLineNetwork(TimeSpan roundTrip) : IExperimentNetwork
{
    private readonly ConcurrentDictionary<(int From, int To, int Port), DelayedLink> _links = [];

    public NetworkKind Kind => NetworkKind.DelayLines;

    public IPAddress AddressOf(int place) => IPAddress.Loopback;

    public IPEndPoint Route(int from, int to, int port) =>
        from == to ? new IPEndPoint(IPAddress.Loopback, port)
            : _links.GetOrAdd((from, to, port), _ => DelayedLink.Start(new DelayedLinkOptions
            {
                Target = new IPEndPoint(IPAddress.Loopback, port),
                OneWayDelay = roundTrip / 2,
            })).ListeningOn;

    public ProcessStartInfo At(int place, ProcessStartInfo start) => start;

    public async ValueTask DisposeAsync()
    {
        foreach (var link in _links.Values)
        {
            await link.DisposeAsync();
        }
    }
}
