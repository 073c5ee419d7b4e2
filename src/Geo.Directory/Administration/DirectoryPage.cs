namespace Geo.Directory;

/// <summary>A page of rows.</summary>
/// <param name="Rows">The rows, in the order of their keys.</param>
/// <param name="Next">What to ask for next (<see cref="DirectoryQuery.After"/>); null when there is no more.</param>
public sealed record DirectoryPage(IReadOnlyList<DirectoryRow> Rows, string? Next)
{
    /// <summary>
    /// Rows that cannot be read, whatever state and cluster were asked for: what theirs are is not known. They count towards the size of
    /// the page.
    /// </summary>
    public IReadOnlyList<DamagedDirectoryRow> Damaged { get; init; } = [];
}
