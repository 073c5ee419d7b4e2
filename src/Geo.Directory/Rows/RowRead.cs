namespace Geo.Directory;

/// <summary>The end of a read with all its tries.</summary>
/// <param name="Row">The row; meaningless when not known.</param>
/// <param name="Unknown">Why the row is not known, for people: the store does not answer, or the row is damaged. Null when it is.</param>
/// <param name="IsDamaged">True when the row was read and makes no sense, which has been logged; to try again is of no use.</param>
internal readonly record struct RowRead(Row Row, string? Unknown = null, bool IsDamaged = false);
