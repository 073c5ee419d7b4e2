using System.Globalization;

namespace Geo.Storage.AzureTables;

/// <summary>The addresses of a table and what is in it.</summary>
internal sealed class TableAddresses(Uri endpoint, string table)
{
    private readonly string _root = endpoint.AbsoluteUri.TrimEnd('/');

    /// <summary>Where tables are created.</summary>
    public Uri Tables => new($"{_root}/Tables");

    /// <summary>Where entities are inserted.</summary>
    public Uri Table => new($"{_root}/{table}");

    /// <summary>An entity. Its keys are of characters that need no escape there.</summary>
    public Uri Entity(EntityKey place) => new($"{_root}/{table}(PartitionKey='{place.Partition}',RowKey='{place.Row}')");

    /// <summary>A page of a query.</summary>
    /// <param name="filter">What to list; null for all.</param>
    /// <param name="entries">The most entries in the page.</param>
    /// <param name="continuation">What the page before gave; null for the first.</param>
    public Uri Page(string? filter, int entries, string? continuation)
    {
        var top = entries.ToString(CultureInfo.InvariantCulture);
        return new($"{_root}/{table}()?$top={top}{(filter is null ? "" : $"&$filter={Uri.EscapeDataString(filter)}")}{continuation}");
    }
}
