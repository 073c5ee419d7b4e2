namespace TpcwMini.Grains;

/// <summary>One item of the inventory (GEO section 4.4.1); its key is the item's number.</summary>
public interface IItem : IGrainWithStringKey
{
    /// <summary>Puts the item on sale. An item already on sale keeps its stock and price.</summary>
    Task Stock(int quantity, decimal price);

    /// <summary>True when the item is on sale.</summary>
    Task<bool> Exists();

    /// <summary>Reserves a quantity for an order, optimistically: only <see cref="Confirm"/> guarantees the stock.</summary>
    Task<ReserveReply> Reserve(string cart, string order, int quantity);

    /// <summary>Sells what was reserved for the order if the stock suffices; true when it is sold, also if it was sold before.</summary>
    Task<bool> Confirm(string cart, string order);

    /// <summary>Takes back the order's reservation, and its sale if there was one.</summary>
    Task Undo(string cart, string order);

    /// <summary>The latest state, for the books: a linearizable read under every read policy.</summary>
    Task<ItemState> Audit();
}
