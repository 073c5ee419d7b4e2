namespace Geo.Administration;

/// <summary>The shortest of the last round trips of the links between two clusters.</summary>
/// <param name="From">The cluster that measured.</param>
/// <param name="To">The other one.</param>
/// <param name="Ms">Milliseconds, queues included.</param>
internal sealed record RoundTripView(string From, string To, double Ms);
