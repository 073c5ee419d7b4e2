namespace Geo.Embedded.Tests.Storage;

public interface IStock : IGrainWithStringKey
{
    Task<int> Glance();
    Task<bool> Sell(string order);
}

public sealed class StockState
{
    public int Left { get; set; } = 100;
    public List<string> Orders { get; set; } = [];

    public void Apply(Sold sold)              // deterministic: every region applies the same updates in the same order
    {
        if (Left > 0)
        {
            Left--;
            Orders.Add(sold.Order);
        }
    }
}

public sealed record Sold(string Order);

[GlobalSingleInstance, BatchedCas]
public sealed class Stock : JournaledGrain<StockState, Sold>, IStock
{
    public Task<int> Glance() => Task.FromResult(TentativeState.Left);

    public async Task<bool> Sell(string order)
    {
        RaiseEvent(new Sold(order));
        await ConfirmEvents();
        return State.Orders.Contains(order);
    }
}
