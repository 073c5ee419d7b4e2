namespace Geo.Experiments.Regions;

/// <summary>Owned by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
public sealed class MajorityResident : Grain, IResident
{
    private int _calls;

    public Task<int> Call() => Task.FromResult(++_calls);
}
