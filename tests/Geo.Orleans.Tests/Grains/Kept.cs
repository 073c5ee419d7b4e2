using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

public interface IKept : IGrainWithStringKey
{
    Task<int> Add(int amount);

    Task<int> Read();
}

/// <summary>A sum whose versions are in the store "quorum".</summary>
[OneInstancePerCluster, BatchedCas(Storage = "quorum")]
public sealed class Kept : JournaledGrain<TallyState, Added>, IKept
{
    public async Task<int> Add(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
        return State.Sum;
    }

    public async Task<int> Read()
    {
        await RefreshNow();
        return State.Sum;
    }
}
