namespace Geo.Experiments.Soak.Shop;

/// <summary>An instance in each region; the order of the updates is decided in storage.</summary>
[OneInstancePerCluster, BatchedCas, Reentrant]
public sealed class SharedStock : JournaledGrain<StockState, Order>, IStock
{
    public async Task<Account> Place(Order order)
    {
        ArgumentNullException.ThrowIfNull(order);
        RaiseEvent(order);
        await ConfirmEvents();
        return State.AccountOf(order.Customer);
    }

    public async Task<StockState> Read()
    {
        await RefreshNow();
        return State.Copy();
    }
}
