namespace Geo.Experiments.Soak.Shop;

/// <summary>Compares an article's books with what its customers were told.</summary>
internal static class Books
{
    /// <param name="article">The article's name.</param>
    /// <param name="books">What was stored at the end.</param>
    /// <param name="told">What each customer was told; nobody waits for an answer any more.</param>
    /// <returns>What is wrong.</returns>
    public static IEnumerable<string> Check(string article, StockState books, IReadOnlyDictionary<string, Account> told)
    {
        var (sold, supplied) = (told.Values.Sum(account => account.Sold), told.Values.Sum(account => account.Supplied));
        if (books.Left < 0 || sold > supplied || books.Left != supplied - sold)
        {
            yield return $"{article} was supplied with {supplied}, sold {sold} and shows {books.Left} left";
        }

        foreach (var (customer, account) in told)
        {
            if (books.AccountOf(customer) is var stored && stored != account)
            {
                yield return $"{article} shows {stored} of {customer}, who was told {account}";
            }
        }
    }
}
