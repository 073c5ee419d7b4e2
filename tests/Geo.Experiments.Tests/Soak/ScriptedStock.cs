using Geo.Experiments.Soak.Shop;

namespace Geo.Experiments.Tests.Soak;

/// <summary>The stock of one article in memory, with a defect.</summary>
internal sealed class ScriptedStock(Func<StockState, Order, int, Account> place) : IStock
{
    private int _placed;

    public StockState State { get; } = new();

    /// <summary>A stock without a defect, whose answer is lost every now and then, after the order was decided or before.</summary>
    public static ScriptedStock Honest() => new((state, order, placed) =>
    {
        if (placed % 7 == 0)
        {
            throw new GeoUnavailableException("the call was lost");
        }

        state.Apply(order);
        return placed % 5 == 0 ? throw new GeoOutcomeUnknownException("the answer was lost") : state.AccountOf(order.Customer);
    });

    public async Task<Account> Place(Order order)
    {
        await Task.Yield();
        return place(State, order, ++_placed);
    }

    public Task<StockState> Read() => Task.FromResult(State.Copy());
}
