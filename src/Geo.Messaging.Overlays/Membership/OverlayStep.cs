namespace Geo.Messaging.Overlays;

/// <summary>What a strategy makes of an event.</summary>
/// <param name="Next">The strategy's next state.</param>
/// <param name="Effects">What is to be done, in this order.</param>
public readonly record struct OverlayStep(IMembershipStrategy Next, IReadOnlyList<OverlayEffect> Effects);
