namespace WebShop;

public interface IStock : IGrainWithStringKey
{
    /// <summary>What is left, as this process last heard.</summary>
    Task<int> Glance();

    /// <summary>True when the order has its item: stored when this returns, and once, however often it is asked for.</summary>
    Task<bool> Sell(string order);
}
