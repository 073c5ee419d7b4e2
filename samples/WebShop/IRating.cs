using Geo.Consistency;

namespace WebShop;

public interface IRating : IGrainWithStringKey
{
    /// <summary>
    /// The mean of all stars that this region knows of; 0 without any. Asks nobody, unless the caller's session has seen or given stars
    /// that are not known here.
    /// </summary>
    [ReadOnly]
    Task<Versioned<double>> Average();

    /// <summary>A customer's stars, the last ones count. Does not wait for the other region.</summary>
    Task<UpdateOutcome> Rate(string customer, int stars);
}
