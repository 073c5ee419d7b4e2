namespace Geo.Administration;

/// <summary>What became of an order.</summary>
/// <param name="Applied">True when it was carried out.</param>
/// <param name="Text">What happened, for people.</param>
internal sealed record Done(bool Applied, string Text);
