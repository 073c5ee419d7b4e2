using Geo.Consistency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A versioned grain that is read and written by sessions.</summary>
public interface ISummed : IGrainWithStringKey
{
    Task<UpdateOutcome> Add(int amount, bool isConfirmed);

    Task<Versioned<int>> Sum();

    Task<Versioned<int>> WaitFor(int sum);
}
