namespace Geo.Messaging.Overlays;

/// <summary>
/// Decides who is a member of an overlay and which members are linked (Partisan ATC'19 section 5.5). A value, not a process: handling an
/// event gives the next state and the effects to carry out, and changes nothing else.
/// </summary>
/// <remarks>
/// The <see cref="OverlayNode"/> that runs a strategy sets up links, detects their failure, carries broadcasts and forwards messages. A
/// strategy needs no lock: it is told one event at a time.
/// </remarks>
public interface IMembershipStrategy
{
    /// <summary>This member, as the others are to know it.</summary>
    OverlayMember Self { get; }

    /// <summary>
    /// True when this peer passes on what comes from others, so that a broadcast or a message reaches peers with no link to its sender;
    /// false when all that must hear each other are linked, or others do it.
    /// </summary>
    bool Relays { get; }

    /// <summary>Handles one event.</summary>
    /// <param name="happened">The event.</param>
    /// <param name="random">The only source of chance: with the same numbers the same events give the same effects.</param>
    /// <returns>The next state and what is to be done.</returns>
    /// <exception cref="GeoSerializationException">A peer sent what cannot be read: the event is dropped and the state stays.</exception>
    OverlayStep Handle(OverlayEvent happened, Random random);
}
