namespace Geo.Storage.Quorum;

/// <summary>The pages of several acceptors, as far as all of them reach.</summary>
internal sealed class PageTable
{
    private readonly List<Dictionary<string, PageRow>> _tables;

    public PageTable(IReadOnlyList<PageReply> pages)
    {
        _tables = [.. pages.Select(p => p.Rows.ToDictionary(r => r.Key, StringComparer.Ordinal))];
        End = pages.Where(p => !p.IsLast).Select(p => p.Rows[^1].Key).Min(CodePointOrder.Instance);
        Keys =
        [
            .. pages.SelectMany(p => p.Rows).Select(r => r.Key).Distinct()
                .Where(k => End is null || CodePointOrder.Instance.Compare(k, End) <= 0).Order(CodePointOrder.Instance),
        ];
    }

    /// <summary>The key after which the next pages begin; null when these were the last.</summary>
    public string? End { get; }

    /// <summary>The keys that any acceptor has, in code-point order.</summary>
    public IReadOnlyList<string> Keys { get; }

    /// <summary>What each acceptor tells of a key.</summary>
    public IReadOnlyList<ToldReply> Rows(string key) => _tables.ConvertAll(t => t.GetValueOrDefault(key).Row ?? ToldReply.Nothing);

    /// <summary>How long before these pages came any acceptor had a version of a key, at least; null where none had it.</summary>
    public TimeSpan? AgeOf(string key, Ballot tag) =>
        _tables.Where(t => t.GetValueOrDefault(key).Row?.Value?.Tag == tag).Max(t => (TimeSpan?)t[key].Age);

    /// <summary>True when all tell the same of a key.</summary>
    public bool IsAgreed(string key, out ToldReply row)
    {
        var rows = Rows(key);
        row = rows[0];
        return rows.All(r => r.Accepted == rows[0].Accepted);
    }
}
