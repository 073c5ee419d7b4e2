using Geo.Messaging;

namespace Geo.Testing.Overlays;

/// <summary>A link between two peers of a simulated network.</summary>
internal sealed class SimulatedLink(SimulatedOverlayTransport dialler, SimulatedOverlayTransport listener)
{
    private readonly Way _out = new();
    private readonly Way _back = new();

    /// <summary>False once it is broken or closed: what is under way on a broken link is lost.</summary>
    public bool IsUp { get; set; } = true;

    public SimulatedOverlayTransport Dialler => dialler;

    public SimulatedOverlayTransport Listener => listener;

    public SimulatedOverlayTransport Other(SimulatedOverlayTransport end) => ReferenceEquals(end, dialler) ? listener : dialler;

    public bool Joins(PeerId a, PeerId b) => (dialler.Peer == a && listener.Peer == b) || (dialler.Peer == b && listener.Peer == a);

    /// <summary>The way from one end to the other.</summary>
    public Way From(SimulatedOverlayTransport end) => ReferenceEquals(end, dialler) ? _out : _back;

    /// <summary>One direction of a link.</summary>
    internal sealed class Way
    {
        public TimeSpan LastArrival { get; set; }

        public int UnderWay { get; set; }
    }
}
