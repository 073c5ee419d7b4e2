namespace Geo.Messaging.Overlays;

/// <summary>A peer that is asked to become a neighbour.</summary>
/// <param name="Member">The peer.</param>
/// <param name="Kind">
/// What it is told once the link is up: <see cref="HyParViewKind.Join"/> or <see cref="HyParViewKind.Neighbour"/>.
/// </param>
/// <param name="Urgent">True when it must accept, giving up another neighbour if need be.</param>
/// <param name="Until">When it is given up.</param>
internal sealed record HyParViewAsk(OverlayMember Member, HyParViewKind Kind, bool Urgent, TimeSpan Until);
