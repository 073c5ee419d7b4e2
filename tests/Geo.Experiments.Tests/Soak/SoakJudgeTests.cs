using Geo.Experiments.Soak.Shop;
using Geo.Testing;

namespace Geo.Experiments.Tests.Soak;

/// <summary>The soak's own customers and auditors on stocks with defects: each must be noticed.</summary>
public sealed class SoakJudgeTests
{
    private static readonly TimeSpan Length = TimeSpan.FromSeconds(30);

    [Fact]
    public void Stocks_without_a_defect_are_in_order_whatever_answers_are_lost()
    {
        var tally = Judge(ScriptedStock.Honest);

        Assert.Empty(tally.Violations);
        Assert.Equal(Articles.Count, tally.Comparisons);
        Assert.InRange(tally.Confirmed, 500, long.MaxValue);
        Assert.InRange(tally.Refused, 10, long.MaxValue);
        Assert.InRange(tally.Supplies, 10, long.MaxValue);
        Assert.InRange(tally.Audits, 50, long.MaxValue);
        Assert.Equal(["GeoOutcomeUnknownException", "GeoUnavailableException"], tally.Repeats.Keys);
    }

    [Fact]
    public void An_order_that_was_confirmed_and_forgotten_is_noticed() => AssertNoticed(
        "by what was answered before",
        (state, order, placed) =>
        {
            var before = state.AccountOf(order.Customer);
            state.Apply(order);
            var answer = state.AccountOf(order.Customer);
            if (placed == 40)
            {
                state.Left += answer.Sold - before.Sold - (answer.Supplied - before.Supplied);
                state.Accounts[order.Customer] = before;
            }

            return answer;
        });

    [Fact]
    public void The_last_order_forgotten_is_noticed_though_nobody_orders_any_more()
    {
        var stocks = Enumerable.Range(0, Articles.Count).Select(_ => ScriptedStock.Honest()).ToArray();

        var tally = Judge(stocks, atEnd: () => stocks[3].State.Accounts.Remove(stocks[3].State.Accounts.Keys.First()));

        Assert.Contains(tally.Violations, violation => violation.Contains("article 3", StringComparison.Ordinal));
        Assert.All(tally.Violations, violation => Assert.Contains("article 3", violation, StringComparison.Ordinal));
    }

    [Fact]
    public void An_order_carried_out_twice_is_noticed() => AssertNoticed(
        "by what was answered before",
        (state, order, placed) =>
        {
            state.Apply(order);
            if (placed == 40)
            {
                state.Apply(order with { Number = order.Number + 1 });
            }

            return state.AccountOf(order.Customer);
        });

    [Fact]
    public void Selling_what_is_not_there_is_noticed() => AssertNoticed(
        "is oversold",
        (state, order, _) =>
        {
            var account = state.AccountOf(order.Customer);
            if (order.Number > account.Number)
            {
                state.Left += order.IsSupply ? order.Quantity : -order.Quantity;
                state.Accounts[order.Customer] = account.After(order, isDone: true);
            }

            return state.AccountOf(order.Customer);
        });

    [Fact]
    public void Two_regions_that_sell_the_same_stock_apart_are_noticed()
    {
        var (us, eu) = (Stocks(ScriptedStock.Honest), Stocks(ScriptedStock.Honest));

        var tally = Judge([us, eu]);

        Assert.Contains(tally.Violations, violation => violation.Contains("before it was read", StringComparison.Ordinal));
        Assert.True(tally.ViolationCount > Articles.Count);
    }

    [Fact]
    public void An_order_that_is_never_decided_is_open_and_held_against_nobody()
    {
        var tally = Judge(() => new((state, order, placed) =>
        {
            state.Apply(order);
            return placed > 20 ? throw new GeoOutcomeUnknownException("silent") : state.AccountOf(order.Customer);
        }));

        Assert.Empty(tally.Violations);
        Assert.Equal(Articles.Count, tally.Comparisons);
    }

    [Fact]
    public void An_exception_that_no_fault_explains_is_noticed_once_and_the_customer_goes_on()
    {
        var tally = Judge(() => new((state, order, placed) =>
        {
            state.Apply(order);
            return placed % 5 == 0 ? throw new InvalidOperationException("a defect") : state.AccountOf(order.Customer);
        }));

        Assert.Equal("no fault is the reason of a InvalidOperationException: a defect", Assert.Single(tally.Violations));
        Assert.InRange(tally.Confirmed, 500, long.MaxValue);
    }

    private static void AssertNoticed(string how, Func<StockState, Order, int, Account> place) => Assert.Contains(
        Judge(() => new ScriptedStock(place)).Violations, violation => violation.Contains(how, StringComparison.Ordinal));

    private static ScriptedStock[] Stocks(Func<ScriptedStock> stock) => [.. Enumerable.Range(0, Articles.Count).Select(_ => stock())];

    private static SoakTally Judge(Func<ScriptedStock> stock) => Judge([Stocks(stock)]);

    private static SoakTally Judge(ScriptedStock[] stocks, Action atEnd) => Judge([stocks], atEnd);

    /// <summary>Customers order for half a minute, all orders are waited for, and all books are compared.</summary>
    private static SoakTally Judge(ScriptedStock[][] regions, Action? atEnd = null)
    {
        var scheduler = new SimulationScheduler();
        var tally = new SoakTally();
        scheduler.Run(async () =>
        {
            var customers = Enumerable.Range(0, 4).Select(number => new Customer(
                $"customer-{number}", article => regions[number % regions.Length][article], new Random(number), tally,
                scheduler.Time)).ToArray();
            var auditor = new Auditor(
                [.. regions.Select((stocks, region) => ($"region {region}", (Func<int, IStock>)(article => stocks[article])))],
                customers, tally, scheduler.Time);
            using var stop = new CancellationTokenSource(Length, scheduler.Time);
            using var giveUp = new CancellationTokenSource(2 * Length, scheduler.Time);
            var auditing = auditor.RunAsync(stop.Token);

            await Task.WhenAll(customers.Select(customer => customer.RunAsync(stop.Token, giveUp.Token)));
            await auditing;
            atEnd?.Invoke();
            for (var region = 0; region < regions.Length; region++)
            {
                await auditor.CheckAllAsync(region, "at the end", CancellationToken.None);
            }
        });
        return tally;
    }
}
