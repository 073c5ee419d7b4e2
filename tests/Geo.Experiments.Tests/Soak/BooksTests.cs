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
        Assert.Contains(Check(Applied(Supply, Sale), Told(Supply)), violation => violation.Contains("Sold = 7", StringComparison.Ordinal));

    [Fact]
    public void Selling_more_than_there_was_is_noticed()
    {
        var told = Told(Supply, Sale);
        told["cid"] = new Statement(Account.New.After(Sale, isDone: true));

        Assert.Contains(Check(Applied(Supply, Sale), told), violation => violation.Contains("14 were sold", StringComparison.Ordinal));
    }

    [Fact]
    public void Stock_below_zero_is_noticed_even_where_all_accounts_agree()
    {
        var oversold = Applied(Supply, Sale);
        oversold.Left = -4;
        oversold.Accounts["ben"] = new Account(2, IsDone: true, Sold: 14, Supplied: 0);
        var told = Told(Supply);
        told["ben"] = new Statement(oversold.Accounts["ben"]);

        Assert.Contains(Check(oversold, told), violation => violation.Contains("-4 left", StringComparison.Ordinal));
    }

    [Fact]
    public void Stock_that_its_accounts_do_not_explain_is_noticed()
    {
        var books = Applied(Supply, Sale);
        books.Left++;

        Assert.Contains(Check(books, Told(Supply, Sale)), violation => violation.Contains("it must be 3", StringComparison.Ordinal));
    }

    [Fact]
    public void Somebody_who_never_ordered_is_noticed() => Assert.Contains(
        Check(Applied(Supply, Sale with { Customer = "cid" }), Told(Supply)),
        violation => violation.Contains("cid, who is no customer", StringComparison.Ordinal));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_order_of_unknown_outcome_may_be_in_the_books_or_not(bool isApplied)
    {
        var told = Told(Supply);
        told["ben"] = new Statement(Account.New, Sale);

        Assert.Empty(Check(isApplied ? Applied(Supply, Sale) : Applied(Supply), told));
    }

    [Fact]
    public void An_order_of_unknown_outcome_that_is_in_the_books_twice_is_noticed()
    {
        var books = Applied(Supply with { Quantity = 20 }, Sale);
        books.Accounts["ben"] = new Account(1, IsDone: true, Sold: 14, Supplied: 0);
        books.Left = 6;
        var told = Told(Supply with { Quantity = 20 });
        told["ben"] = new Statement(Account.New, Sale);

        Assert.Contains(Check(books, told), violation => violation.Contains("ben", StringComparison.Ordinal));
    }

    [Fact]
    public void What_comes_of_a_supply_of_unknown_outcome_may_be_sold()
    {
        var told = Told(Sale);
        told["ann"] = new Statement(Account.New, Supply);

        Assert.Empty(Check(Applied(Supply, Sale), told));
    }

    [Fact]
    public void Meanwhile_the_books_may_be_ahead_of_what_was_told_and_never_behind()
    {
        Assert.Empty(Books.CheckMeanwhile("article", Applied(Supply, Sale), Told(Supply)));
        Assert.Contains(
            Books.CheckMeanwhile("article", Applied(Supply), Told(Supply, Sale)),
            violation => violation.Contains("before it was read", StringComparison.Ordinal));
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

    private static Dictionary<string, Statement> Told(params Order[] orders)
    {
        var told = new Dictionary<string, Statement> { ["ann"] = new(Account.New), ["ben"] = new(Account.New) };
        Array.ForEach(orders, order => told[order.Customer] = new Statement(told[order.Customer].Told.After(order, isDone: true)));
        return told;
    }

    private static string[] Check(StockState books, Dictionary<string, Statement> told) => [.. Books.Check("article", books, told)];
}
