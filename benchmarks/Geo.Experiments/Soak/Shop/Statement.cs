namespace Geo.Experiments.Soak.Shop;

/// <summary>A customer's side of an article's books.</summary>
/// <param name="Told">What the customer was told last.</param>
/// <param name="Open">The order that was sent and whose decision the customer does not know; null when there is none.</param>
internal sealed record Statement(Account Told, Order? Open = null)
{
    /// <summary>The most that the customer can have brought.</summary>
    public long MostSupplied => Told.Supplied + (Open is { IsSupply: true } supply ? supply.Quantity : 0);

    /// <summary>True when the books may say this: all that the customer was told, and of an open order any decision or none.</summary>
    public bool Agrees(Account books) =>
        books == Told || (Open is { } order && (books == Told.After(order, isDone: true) || books == Told.After(order, isDone: false)));

    /// <summary>True when the books may say this a while after the statement was made: nothing of it is lost.</summary>
    public bool IsPartOf(Account books) =>
        books == Told || (books.Number > Told.Number && books.Sold >= Told.Sold && books.Supplied >= Told.Supplied);
}
