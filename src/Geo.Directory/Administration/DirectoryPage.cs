namespace Geo.Directory;

/// <summary>A page of rows.</summary>
/// <param name="Rows">The rows, in the order of their keys.</param>
/// <param name="Next">What to ask for next (<see cref="DirectoryQuery.After"/>); null when there is no more.</param>
public sealed record DirectoryPage(IReadOnlyList<DirectoryRow> Rows, string? Next);
