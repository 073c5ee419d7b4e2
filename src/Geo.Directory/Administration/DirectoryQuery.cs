using System.ComponentModel.DataAnnotations;

namespace Geo.Directory;

/// <summary>Which rows <see cref="IGeoAdministration.ListAsync"/> lists.</summary>
public sealed record DirectoryQuery
{
    /// <summary>
    /// Only rows in this state; any when null. <see cref="GsiState.Cached"/> lists the hints in this silo's memory, which are no rows.
    /// </summary>
    public GsiState? State { get; init; }

    /// <summary>
    /// Only what this cluster has: the local one for its own instances and rounds, another one for hints and for duplicates that give way
    /// to it. Any when none.
    /// </summary>
    public ClusterId Cluster { get; init; }

    /// <summary>Only grains of this type; any when null.</summary>
    public string? Type { get; init; }

    /// <summary>The most rows of a page; 100 by default.</summary>
    [Range(1, 10_000)]
    public int PageSize { get; init; } = 100;

    /// <summary><see cref="DirectoryPage.Next"/> of the page before; null for the first.</summary>
    public string? After { get; init; }
}
