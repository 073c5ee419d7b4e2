using TpcwMini.Audit;
using TpcwMini.Grains;
using TpcwMini.Robots;

namespace TpcwMini.Tests.Audit;

public sealed class AuditorTests
{
    [Fact]
    public void Books_that_agree_with_the_robots_are_clean()
    {
        var findings = Auditor.Compare([Ledger(2, 1, ("o1", 1))], [new ConfirmedOrder("o1", "i", 1)]);

        Assert.True(findings.IsClean);
        Assert.Equal((1, 1, 0), (findings.ConfirmedOrders, findings.Sales, findings.SoldOutItems));
    }

    [Fact]
    public void A_sale_whose_answer_was_lost_is_no_violation() =>
        Assert.True(Auditor.Compare([Ledger(2, 1, ("o1", 1))], []).IsClean);

    [Fact]
    public void More_sold_than_there_was_is_oversold()
    {
        Assert.Equal(1, Auditor.Compare([Ledger(1, -1, ("o1", 1), ("o2", 1))], []).OversoldItems);
        Assert.Equal(1, Auditor.Compare([Ledger(1, 0, ("o1", 1), ("o2", 1))], []).OversoldItems);
    }

    [Fact]
    public void Stock_that_vanished_without_a_sale_is_found() =>
        Assert.Equal(1, Auditor.Compare([Ledger(3, 1, ("o1", 1))], []).OversoldItems);

    [Fact]
    public void A_confirmed_order_that_is_missing_or_of_another_quantity_is_lost()
    {
        var findings = Auditor.Compare(
            [Ledger(5, 4, ("o1", 1))],
            [new ConfirmedOrder("o1", "i", 2), new ConfirmedOrder("o2", "i", 1), new ConfirmedOrder("o1", "j", 1)]);

        Assert.Equal(3, findings.LostOrders);
        Assert.Contains(findings.Violations, violation => violation.Contains("o2", StringComparison.Ordinal));
    }

    [Fact]
    public void An_order_sold_twice_is_a_duplicate() =>
        Assert.Equal(1, Auditor.Compare([Ledger(5, 3, ("o1", 1), ("o1", 1))], []).DuplicateOrders);

    private static ItemLedger Ledger(int initial, int stock, params (string Order, int Quantity)[] sales) => new(
        "i",
        new ItemState
        {
            InitialStock = initial,
            Stock = stock,
            Sales = [.. sales.Select(sale => new Sale { Order = sale.Order, Quantity = sale.Quantity })],
        });
}
