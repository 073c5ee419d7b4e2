namespace Geo.Experiments.Soak.Shop;

/// <summary>What an article's books say of one customer, and what the customer has been told: the two must agree.</summary>
/// <param name="Number">The last order that was decided.</param>
/// <param name="IsDone">True when that order was carried out, false when there was too little.</param>
/// <param name="Sold">The sum of all quantities taken.</param>
/// <param name="Supplied">The sum of all quantities brought.</param>
[GenerateSerializer]
public sealed record Account(
    [property: Id(0)] int Number, [property: Id(1)] bool IsDone, [property: Id(2)] long Sold, [property: Id(3)] long Supplied)
{
    public static Account New { get; } = new(0, false, 0, 0);

    /// <summary>The account after an order that was carried out, or refused.</summary>
    public Account After(Order order, bool isDone)
    {
        ArgumentNullException.ThrowIfNull(order);
        return new Account(
            order.Number, isDone,
            Sold + (isDone && !order.IsSupply ? order.Quantity : 0),
            Supplied + (isDone && order.IsSupply ? order.Quantity : 0));
    }
}
