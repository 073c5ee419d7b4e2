namespace TpcwMini.Grains;

/// <summary>
/// The item on the basic API: an ordinary grain that changes its state and writes it, one operation at a time. Its classes differ in
/// attributes alone.
/// </summary>
public abstract class BasicItemGrain : Grain<ItemState>, IItem
{
    /// <inheritdoc/>
    public Task Stock(int quantity, decimal price) => ApplyAndWrite(new Stocked(quantity, price));

    /// <inheritdoc/>
    public Task<bool> Exists() => Task.FromResult(State.IsOnSale());

    /// <inheritdoc/>
    public async Task<ReserveReply> Reserve(string cart, string order, int quantity)
    {
        await ApplyAndWrite(new Reserved(cart, order, quantity));
        return new ReserveReply(State.HasReserved(cart, order), State.Price);
    }

    /// <inheritdoc/>
    public async Task<bool> Confirm(string cart, string order)
    {
        await ApplyAndWrite(new Confirmed(cart, order));
        return State.HasSold(order);
    }

    /// <inheritdoc/>
    public Task Undo(string cart, string order) => ApplyAndWrite(new Undone(cart, order));

    /// <inheritdoc/>
    public Task<ItemState> Audit() => Task.FromResult(State);

    private async Task ApplyAndWrite(ItemEvent happened)
    {
        State.Apply(happened);
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
