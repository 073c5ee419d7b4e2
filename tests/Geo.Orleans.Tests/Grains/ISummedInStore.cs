using Geo.Consistency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>The same in a store.</summary>
public interface ISummedInStore : IGrainWithStringKey
{
    Task<UpdateOutcome> Add(int amount, bool isConfirmed);

    Task<Versioned<int>> Sum();
}
