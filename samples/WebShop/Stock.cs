namespace WebShop;

/// <summary>One instance in the world, in the region that called it first; the other region's calls are carried there.</summary>
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

[GenerateSerializer]
public sealed class StockState
{
    [Id(0)]
    public int Left { get; set; } = 100;

    [Id(1)]
    public HashSet<string> Orders { get; set; } = [];

    public void Apply(Sold sold)
    {
        if (Left > 0 && Orders.Add(sold.Order))
        {
            Left--;
        }
    }
}

[GenerateSerializer]
public sealed record Sold([property: Id(0)] string Order);
