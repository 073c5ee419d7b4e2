namespace WebShop;

public interface IRating : IGrainWithStringKey
{
    /// <summary>The mean of all stars that this region knows of; 0 without any. Asks no other region.</summary>
    Task<double> Average();

    /// <summary>A customer's stars, the last ones count. Does not wait for the other region.</summary>
    Task Rate(string customer, int stars);
}
