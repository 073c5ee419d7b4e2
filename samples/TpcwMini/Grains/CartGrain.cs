namespace TpcwMini.Grains;

/// <summary>
/// The cart: always single-instance and volatile, wherever its robot first called (GEO section 4.4.1). Its classes differ in attributes
/// alone.
/// </summary>
public abstract class CartGrain : Grain, ICart
{
    private readonly List<CartLine> _lines = [];
    private string _order = "";
    private WorkflowStatus _status;

    /// <inheritdoc/>
    public async Task<StepOutcome> Create(string order)
    {
        if (_status is WorkflowStatus.Reserved)
        {
            await UndoAll();
        }

        _lines.Clear();
        (_order, _status) = (order, WorkflowStatus.Created);
        return StepOutcome.Done;
    }

    /// <inheritdoc/>
    public async Task<StepOutcome> Add(IReadOnlyList<CartLine> lines)
    {
        ArgumentNullException.ThrowIfNull(lines);
        if (_status is not (WorkflowStatus.Created or WorkflowStatus.Filled))
        {
            return StepOutcome.NoWorkflow;
        }

        var exist = await Task.WhenAll(lines.Select(line => Item(line).Exists()));
        if (!exist.All(exists => exists))
        {
            _status = WorkflowStatus.Aborted;
            return StepOutcome.NoSuchItem;
        }

        _lines.AddRange(lines);
        _status = WorkflowStatus.Filled;
        return StepOutcome.Done;
    }

    /// <inheritdoc/>
    public async Task<BuyReply> Buy()
    {
        if (_status is not WorkflowStatus.Filled)
        {
            return new BuyReply(StepOutcome.NoWorkflow, 0);
        }

        // From here on reservations may exist, even where the answer gets lost.
        _status = WorkflowStatus.Reserved;
        ReserveReply[] replies;
        try
        {
            replies = await Task.WhenAll(_lines.Select(line => Item(line).Reserve(this.GetPrimaryKeyString(), _order, line.Quantity)));
        }
        catch
        {
            await UndoAll();
            throw;
        }

        if (!replies.All(reply => reply.Reserved))
        {
            await UndoAll();
            return new BuyReply(StepOutcome.SoldOut, 0);
        }

        return new BuyReply(StepOutcome.Done, replies.Zip(_lines, (reply, line) => reply.Price * line.Quantity).Sum());
    }

    /// <inheritdoc/>
    public async Task<StepOutcome> Confirm()
    {
        if (_status is not WorkflowStatus.Reserved)
        {
            return StepOutcome.NoWorkflow;
        }

        bool[] sold;
        try
        {
            sold = await Task.WhenAll(_lines.Select(line => Item(line).Confirm(this.GetPrimaryKeyString(), _order)));
        }
        catch
        {
            // An item whose answer is lost may have sold: the undo takes the sale back as well as the reservation.
            await UndoAll();
            throw;
        }

        if (!sold.All(done => done))
        {
            await UndoAll();
            return StepOutcome.SoldOut;
        }

        _status = WorkflowStatus.Completed;
        return StepOutcome.Done;
    }

    private IItem Item(CartLine line) => GrainFactory.GetGrain<IItem>(line.Item);

    private async Task UndoAll()
    {
        await Task.WhenAll(_lines.Select(line => Item(line).Undo(this.GetPrimaryKeyString(), _order)));
        _status = WorkflowStatus.Aborted;
    }
}
