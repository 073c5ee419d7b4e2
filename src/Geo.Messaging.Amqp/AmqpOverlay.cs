using Geo.Messaging.Overlays;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Amqp;

/// <summary>
/// The overlay <c>amqp</c> (Partisan's publish-subscribe overlay): peers have links with a broker only, and are members while they say
/// so on an exchange that all of them hear. A broadcast is handed to the broker once, whatever the number of members.
/// </summary>
/// <remarks>
/// What differs from overlays with links of their own: peers neither listen nor dial each other, so that to join is to name the broker;
/// a member that is lost is forgotten; the broker is a single point that all depend on; and two peers reach each other or not by
/// whether both reach the broker.
/// </remarks>
public static class AmqpOverlay
{
    /// <summary>What a configuration calls it.</summary>
    public const string Name = "amqp";

    /// <summary>A catalog in which the overlay can be named.</summary>
    /// <param name="catalog">The other overlays.</param>
    public static OverlayCatalog WithAmqp(this OverlayCatalog catalog)
    {
        ArgumentNullException.ThrowIfNull(catalog);
        return catalog.With(Name, (_, self) => new AmqpMembership(self));
    }

    /// <summary>Creates a peer of the overlay. Its <see cref="AmqpOverlayTransport"/> is disposed of after it.</summary>
    /// <param name="transport">The way to the broker.</param>
    /// <param name="options">The limits of the overlay; what it names as the overlay is <c>amqp</c>.</param>
    /// <param name="time">The clock of ticks and time-outs.</param>
    /// <param name="loggers">Where faults are logged.</param>
    public static OverlayNode Over(AmqpOverlayTransport transport, OverlayOptions options, TimeProvider time, ILoggerFactory loggers)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(loggers);
        return new OverlayNode(
            options with { Overlay = Name }, transport, time, new Random(), loggers.CreateLogger<OverlayNode>(),
            OverlayCatalog.BuiltIn.WithAmqp());
    }
}
