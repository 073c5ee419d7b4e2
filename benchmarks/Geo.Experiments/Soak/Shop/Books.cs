namespace Geo.Experiments.Soak.Shop;

/// <summary>Compares an article's books with what its customers were told.</summary>
internal static class Books
{
    /// <summary>When nobody orders any more.</summary>
    /// <param name="article">The article's name.</param>
    /// <param name="books">What is stored.</param>
    /// <param name="statements">By customer.</param>
    /// <returns>What is wrong.</returns>
    public static IEnumerable<string> Check(string article, StockState books, IReadOnlyDictionary<string, Statement> statements)
    {
        var (sold, supplied) = (statements.Values.Sum(told => told.Told.Sold), statements.Values.Sum(told => told.MostSupplied));
        if (sold > supplied)
        {
            yield return $"{article} is oversold: at most {supplied} were supplied, and {sold} were sold";
        }

        foreach (var violation in CheckSum(article, books))
        {
            yield return violation;
        }

        foreach (var (customer, statement) in statements)
        {
            if (books.AccountOf(customer) is var stored && !statement.Agrees(stored))
            {
                yield return $"{article} shows {stored} of {customer}, whose statement is {statement}";
            }
        }

        foreach (var stranger in books.Accounts.Keys.Except(statements.Keys).Order(StringComparer.Ordinal))
        {
            yield return $"{article} shows {books.AccountOf(stranger)} of {stranger}, who is no customer";
        }
    }

    /// <summary>While customers order.</summary>
    /// <param name="article">The article's name.</param>
    /// <param name="books">What was read, later than the statements were made.</param>
    /// <param name="statements">By customer.</param>
    /// <returns>What is wrong.</returns>
    public static IEnumerable<string> CheckMeanwhile(
        string article, StockState books, IReadOnlyDictionary<string, Statement> statements) => CheckSum(article, books).Concat(
        from told in statements
        let stored = books.AccountOf(told.Key)
        where !told.Value.IsPartOf(stored)
        select $"{article} shows {stored} of {told.Key}, who had been told {told.Value.Told} before it was read");

    private static IEnumerable<string> CheckSum(string article, StockState books)
    {
        if (books.Left < 0)
        {
            yield return $"{article} is oversold: it shows {books.Left} left";
        }

        if (books.Accounts.Values.Sum(account => account.Supplied - account.Sold) is var left && left != books.Left)
        {
            yield return $"{article} shows {books.Left} left, and by its accounts it must be {left}";
        }
    }
}
