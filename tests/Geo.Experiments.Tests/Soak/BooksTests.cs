using Geo.Experiments.Soak.Shop;

namespace Geo.Experiments.Tests.Soak;

public sealed class BooksTests
{
    private static readonly Order Supply = new("ann", 1, 10, IsSupply: true);
    private static readonly Order Sale = new("ben", 1, 7, IsSupply: false);

    [Fact]
    public void Books_that_show_what_everybody_was_told_are_in_order() => Assert.Empty(Check(Applied(Supply, Sale), Told(Supply, Sale)));

    [Fact]
    public void An_order_asked_for_again_changes_nothing() =>
        Assert.Empty(Check(Applied(Supply, Sale, Sale, Supply), Told(Supply, Sale)));

    [Fact]
    public void A_confirmed_order_that_the_books_do_not_show_is_noticed() =>
        Assert.Contains(Check(Applied(Supply), Told(Supply, Sale)), violation => violation.Contains("ben", StringComparison.Ordinal));

    [Fact]
    public void A_sale_that_nobody_was_told_of_is_noticed() =>
        Assert.Contains(Check(Applied(Supply, Sale), Told(Supply)), violation => violation.Contains("3 left", StringComparison.Ordinal));

    [Fact]
    public void Selling_more_than_there_was_is_noticed()
    {
        var told = Told(Supply, Sale);
        told["cid"] = Account.New.After(Sale, isDone: true);

        Assert.Contains(Check(Applied(Supply, Sale), told), violation => violation.Contains("sold 14", StringComparison.Ordinal));
    }

    [Fact]
    public void An_order_for_more_than_is_left_is_refused()
    {
        var state = Applied(Supply, Sale, Sale with { Number = 2 });

        Assert.Equal(3, state.Left);
        Assert.Equal(new Account(2, IsDone: false, Sold: 7, Supplied: 0), state.AccountOf("ben"));
    }

    private static StockState Applied(params Order[] orders)
    {
        var state = new StockState();
        Array.ForEach(orders, state.Apply);
        return state;
    }

    private static Dictionary<string, Account> Told(params Order[] orders)
    {
        var told = new Dictionary<string, Account> { ["ann"] = Account.New, ["ben"] = Account.New };
        Array.ForEach(orders, order => told[order.Customer] = told[order.Customer].After(order, isDone: true));
        return told;
    }

    private static string[] Check(StockState books, Dictionary<string, Account> told) => [.. Books.Check("article", books, told)];
}
