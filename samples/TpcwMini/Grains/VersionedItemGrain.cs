namespace TpcwMini.Grains;

/// <summary>
/// The item on the versioned API. Calls interleave, so that the updates of all of them go to storage or to the leader in one batch;
/// that is safe because <see cref="ItemState.Apply"/> decides everything. Its classes differ in attributes alone.
/// </summary>
/// <remarks>
/// The read policy is nothing but what comes before a read and after an update. Under the mixed policy both are local, except in
/// <see cref="Confirm"/>, where a decision on old stock would oversell.
/// </remarks>
public abstract class VersionedItemGrain(ItemReads reads) : JournaledGrain<ItemState, ItemEvent>, IItem
{
    private ItemState Seen => reads.Linearizable ? State : TentativeState;

    /// <inheritdoc/>
    public Task Stock(int quantity, decimal price)
    {
        RaiseEvent(new Stocked(quantity, price));
        return ConfirmEvents();
    }

    /// <inheritdoc/>
    public async Task<bool> Exists()
    {
        await BeforeRead();
        return Seen.IsOnSale();
    }

    /// <inheritdoc/>
    public async Task<ReserveReply> Reserve(string cart, string order, int quantity)
    {
        RaiseEvent(new Reserved(cart, order, quantity));
        await AfterUpdate();
        var seen = Seen;
        return new ReserveReply(seen.HasReserved(cart, order), seen.Price);
    }

    /// <inheritdoc/>
    public async Task<bool> Confirm(string cart, string order)
    {
        RaiseEvent(new Confirmed(cart, order));
        await ConfirmEvents();
        return State.HasSold(order);
    }

    /// <inheritdoc/>
    public Task Undo(string cart, string order)
    {
        RaiseEvent(new Undone(cart, order));
        return AfterUpdate();
    }

    /// <inheritdoc/>
    public async Task<ItemState> Audit()
    {
        await RefreshNow();
        return State;
    }

    /// <inheritdoc/>
    protected override void TransitionState(ItemState state, ItemEvent @event)
    {
        ArgumentNullException.ThrowIfNull(state);
        state.Apply(@event);
    }

    // A local read may be answered by version 0, before anything has been loaded: it can say that an item exists, but never that it
    // does not.
    private Task BeforeRead() => reads.Linearizable || !TentativeState.IsOnSale() ? RefreshNow() : Task.CompletedTask;

    private Task AfterUpdate() => reads.Linearizable ? ConfirmEvents() : Task.CompletedTask;
}
