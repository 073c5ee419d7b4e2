namespace Geo.Experiments.Regions;

/// <summary>Placed by the rounds of GEO.</summary>
[GlobalSingleInstance]
public sealed class Resident : Grain, IResident
{
    private int _calls;

    public Task<int> Call() => Task.FromResult(++_calls);
}
