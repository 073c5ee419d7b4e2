namespace Geo.Experiments.Soak.Shop;

/// <summary>One instance in the world, which writes its state at each order.</summary>
[GlobalSingleInstance]
public sealed class SingleStock : Grain<StockState>, IStock
{
    public async Task<Account> Place(Order order)
    {
        ArgumentNullException.ThrowIfNull(order);
        State.Apply(order);
        await WriteOrForget();
        return State.AccountOf(order.Customer);
    }

    public async Task<StockState> Read()
    {
        await ReadStateAsync();
        return State.Copy();
    }

    private async Task WriteOrForget()
    {
        try
        {
            await WriteStateAsync();
        }
        catch
        {
            // What was not certainly written must not be seen by the next call: start again from storage.
            DeactivateOnIdle();
            throw;
        }
    }
}
