using System.Text;

namespace Geo.Storage.Sqlite;

/// <summary>Reads on one connection.</summary>
internal sealed class ReadStatements(SqliteConnection connection) : IBatch<IReadOperation>
{
    /// <summary>One page of a list, which stops reading when it is full.</summary>
    internal const string PageSql = "SELECT key, value, version FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key";

    private const int PageEntries = 256;
    private const int PageBytes = 4 * 1024 * 1024;

    private readonly SqliteStatement _begin = connection.Prepare("BEGIN");
    private readonly SqliteStatement _commit = connection.Prepare("COMMIT");
    private readonly SqliteStatement _find = connection.Prepare("SELECT value, version FROM entries WHERE key = ?1");
    private readonly SqliteStatement _page = connection.Prepare(PageSql);

    /// <summary>Reads for all from one snapshot, which begins after every operation of the batch was asked for.</summary>
    public void Run(IReadOnlyList<IReadOperation> operations)
    {
        _begin.Run();
        foreach (var operation in operations)
        {
            operation.Read(this);
        }

        _commit.Run();
        foreach (var operation in operations)
        {
            operation.Complete();
        }
    }

    public StoreRead Find(byte[] key)
    {
        try
        {
            return _find.Bind(1, key).Step()
                ? StoreRead.Found(_find.Bytes(0).ToArray(), Versions.ToETag(_find.Number(1)))
                : StoreRead.NotFound;
        }
        finally
        {
            _find.Reset();
        }
    }

    public ListPage Page(byte[] from, byte[] before)
    {
        var entries = new List<StoreEntry>();
        byte[]? next = null;
        var bytes = 0;
        try
        {
            _page.Bind(1, from).Bind(2, before);
            while (_page.Step())
            {
                if (entries.Count == PageEntries || bytes >= PageBytes)
                {
                    next = _page.Bytes(0).ToArray();
                    break;
                }

                entries.Add(new StoreEntry(
                    Encoding.UTF8.GetString(_page.Bytes(0)), _page.Bytes(1).ToArray(), Versions.ToETag(_page.Number(2))));
                bytes += entries[^1].Value.Length;
            }
        }
        finally
        {
            _page.Reset();
        }

        return new ListPage(entries, next);
    }

    public void Dispose()
    {
        foreach (var statement in new[] { _begin, _commit, _find, _page })
        {
            statement.Dispose();
        }

        connection.Dispose();
    }
}
