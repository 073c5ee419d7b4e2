using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, PreferLocalPlacement]
public sealed class Homely(ILocalSiloDetails silo) : Grain, IHomely, IGrainMigrationParticipant
{
    private const string Calls = "calls";

    private int _calls;

    public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToString());

    public Task<int> Call() => Task.FromResult(++_calls);

    public void OnDehydrate(IDehydrationContext dehydrationContext)
    {
        ArgumentNullException.ThrowIfNull(dehydrationContext);
        dehydrationContext.TryAddValue(Calls, _calls);
    }

    public void OnRehydrate(IRehydrationContext rehydrationContext)
    {
        ArgumentNullException.ThrowIfNull(rehydrationContext);
        rehydrationContext.TryGetValue(Calls, out _calls);
    }
}
