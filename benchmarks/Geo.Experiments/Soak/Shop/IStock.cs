namespace Geo.Experiments.Soak.Shop;

/// <summary>The stock of one article, which all regions sell.</summary>
public interface IStock : IGrainWithStringKey
{
    /// <summary>Decides the order, once, however often it is asked for; decided for good when this returns.</summary>
    /// <returns>The customer's account after it.</returns>
    Task<Account> Place(Order order);

    /// <summary>The latest state.</summary>
    Task<StockState> Read();
}
