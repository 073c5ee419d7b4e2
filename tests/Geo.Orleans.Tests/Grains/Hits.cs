using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

[CoordinationFree]
public sealed class Hits : JournaledGrain<HitsState, Hit>, IHits
{
    private int _changes;

    public Task Count(int amount)
    {
        RaiseEvent(new Hit(amount));
        return Task.CompletedTask;
    }

    public async Task CountEverywhere(int amount)
    {
        RaiseEvent(new Hit(amount));
        await ConfirmEvents();
    }

    public Task<long> Show() => Task.FromResult(State.Value.Value);

    public async Task<long> ShowLatest()
    {
        await RefreshNow();
        return State.Value.Value;
    }

    public Task<int> Changes() => Task.FromResult(_changes);

    public Task<bool> CountIf(int amount) => RaiseConditionalEvent(new Hit(amount));

    protected override void OnStateChanged() => _changes++;
}
