namespace SimulatedOrders;

/// <summary>One instance in the world, its versions in the store that both regions share.</summary>
[GlobalSingleInstance, BatchedCas]
public sealed class Orders : JournaledGrain<OrderCount, OrdersAdded>, IOrders
{
    public async Task Add(int orders)
    {
        RaiseEvent(new OrdersAdded(orders));
        await SimulationPoint.ReachedAsync("order raised");
        await ConfirmEvents();
    }

    public async Task<int> Count()
    {
        await RefreshNow();
        return State.Orders;
    }
}

public sealed class OrderCount
{
    public int Orders { get; set; }

    public void Apply(OrdersAdded added) => Orders += added.Orders;
}

public sealed record OrdersAdded(int Orders);
