namespace Geo.Storage.Sqlite;

/// <summary>A read of one page of a list.</summary>
/// <param name="from">The least key of the page, in UTF-8.</param>
/// <param name="before">What all its keys are less than.</param>
internal sealed class ListOperation(byte[] from, byte[] before) : Operation<ListPage>, IReadOperation
{
    private ListPage? _page;

    public void Read(ReadStatements statements) => _page = statements.Page(from, before);

    public void Complete() => End(_page!);

    public override void Fail(string reason) =>
        EndWith(new GeoUnavailableException($"The SQLite store could not be listed: {reason}. Try again."));
}
