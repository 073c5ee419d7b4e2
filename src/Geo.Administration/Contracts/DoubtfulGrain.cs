namespace Geo.Administration;

/// <summary>A Doubtful grain.</summary>
/// <param name="Key">The grain.</param>
/// <param name="State">The state of its row: Doubtful, or Requested or Loser while its round is run again.</param>
/// <param name="Node">The silo of its instance.</param>
/// <param name="NodeState">Whether that lives.</param>
internal sealed record DoubtfulGrain(string Key, string State, string? Node, string NodeState);
