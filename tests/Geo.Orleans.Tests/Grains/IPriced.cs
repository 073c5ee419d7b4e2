using Geo.Consistency;
using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain that other clusters read copies of.</summary>
public interface IPriced : IGrainWithStringKey
{
    Task<int> Raise(int by);

    [ReadOnly]
    Task<Versioned<int>> Price();

    [ReadOnly]
    Task<string> Name();

    [ReadOnly]
    Task<int> LatestPrice();

    /// <summary>The latest price, or what is known where the store is away.</summary>
    [ReadOnly]
    Task<int> LatestOrKnownPrice();
}
