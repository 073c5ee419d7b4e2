using TpcwMini.Grains;
using TpcwMini.Robots;

namespace TpcwMini.Audit;

/// <summary>Compares the items' books with what the robots were told.</summary>
internal static class Auditor
{
    private const int MaxViolations = 10;

    public static AuditFindings Compare(IReadOnlyCollection<ItemLedger> ledgers, IReadOnlyCollection<ConfirmedOrder> confirmed)
    {
        var violations = new List<string>();
        var oversold = 0;
        var duplicates = 0;
        var sales = 0;
        var soldOut = 0;
        var sold = new Dictionary<(string Item, string Order), int>();
        foreach (var (item, state) in ledgers)
        {
            var quantity = state.Sales.Sum(sale => sale.Quantity);
            if (quantity > state.InitialStock || state.Stock < 0 || state.Stock + quantity != state.InitialStock)
            {
                oversold++;
                Note($"{item} had {state.InitialStock}, sold {quantity} and shows {state.Stock} left");
            }

            foreach (var sale in state.Sales)
            {
                if (!sold.TryAdd((item, sale.Order), sale.Quantity))
                {
                    duplicates++;
                    Note($"{item} sold order {sale.Order} more than once");
                }
            }

            sales += state.Sales.Count;
            soldOut += state is { InitialStock: > 0, Stock: 0 } ? 1 : 0;
        }

        var lost = 0;
        foreach (var order in confirmed)
        {
            if (!sold.TryGetValue((order.Item, order.Order), out var quantity) || quantity != order.Quantity)
            {
                lost++;
                Note($"order {order.Order} was confirmed to its robot, and {order.Item} does not show it");
            }
        }

        return new AuditFindings
        {
            OversoldItems = oversold,
            LostOrders = lost,
            DuplicateOrders = duplicates,
            ConfirmedOrders = confirmed.Count,
            Sales = sales,
            SoldOutItems = soldOut,
            Violations = violations,
        };

        void Note(string violation)
        {
            if (violations.Count < MaxViolations)
            {
                violations.Add(violation);
            }
        }
    }

    /// <summary>Reads the latest state of every item.</summary>
    /// <param name="items">How many items there are.</param>
    /// <param name="itemOf">The item of a name.</param>
    /// <param name="parallelism">How many are read at the same time.</param>
    /// <param name="cancellationToken">Ends the audit.</param>
    public static async Task<IReadOnlyCollection<ItemLedger>> ReadBooksAsync(
        int items, Func<string, IItem> itemOf, int parallelism, CancellationToken cancellationToken)
    {
        var ledgers = new ItemLedger[items];
        await Parallel.ForAsync(
            0,
            items,
            new ParallelOptions { MaxDegreeOfParallelism = parallelism, CancellationToken = cancellationToken },
            async (number, _) =>
            {
                var name = Robot.ItemName(number);
                ledgers[number] = new ItemLedger(name, await itemOf(name).Audit());
            });
        return ledgers;
    }
}
