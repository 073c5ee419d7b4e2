namespace Geo.Directory;

/// <summary>The end of a read with all its tries.</summary>
/// <param name="Row">The row; meaningless when not known.</param>
/// <param name="Unknown">Why the row is not known, for people; null when it is.</param>
internal readonly record struct RowRead(Row Row, string? Unknown = null);
