namespace Geo.Testing;

/// <summary>One transaction is before another.</summary>
/// <param name="Before">The earlier one.</param>
/// <param name="After">The later one.</param>
/// <param name="From">A call of the earlier one that shows it.</param>
/// <param name="To">A call of the later one that shows it.</param>
internal sealed record TransactionEdge(int Before, int After, LevelCall From, LevelCall To);
