using System.Collections.Concurrent;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Grains;

public abstract class AnyDesk : JournaledGrain<TallyState, Added>, IDesk
{
    /// <summary>What the end of an activation waits for, by key; taken out when it has begun to.</summary>
    public static readonly ConcurrentDictionary<string, Task> Ends = new();

    /// <summary>What calls that are stuck wait for, by key.</summary>
    public static readonly ConcurrentDictionary<string, TaskCompletionSource> Releases = new();

    private readonly TaskCompletionSource _free = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override async Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        if (Ends.TryRemove(this.GetPrimaryKeyString(), out var end))
        {
            await end;
        }

        await base.OnDeactivateAsync(reason, cancellationToken);
    }

    public Task Leave()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task Add(int amount)
    {
        RaiseEvent(new Added(amount));
        return Task.CompletedTask;
    }

    public async Task Confirm(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
    }

    public Task ConfirmBriefly(int amount) => Confirm(amount);

    public Task ConfirmAtLeisure(int amount) => Confirm(amount);

    public Task ConfirmUnless(int amount, CancellationToken cancellationToken) => Confirm(amount);

    public async Task ConfirmWhenFreed(int amount)
    {
        await _free.Task;
        await Confirm(amount);
    }

    public async Task ConfirmOnceReleased(int amount)
    {
        await Releases.GetOrAdd(
            this.GetPrimaryKeyString(), _ => new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        await Confirm(amount);
    }

    public Task Hold() => _free.Task;

    public Task Free()
    {
        _free.TrySetResult();
        return Task.CompletedTask;
    }

    public Task ConfirmBeside(int amount) => Confirm(amount);

    public Task<int> LatestBriefly() => Latest();

    public Task<int> Look() => Task.FromResult(TentativeState.Sum);

    public async Task<int> Latest()
    {
        await RefreshNow();
        return State.Sum;
    }

    public async Task RaiseWhileReading(bool conditionally)
    {
        if (conditionally)
        {
            await RaiseConditionalEvent(new Added(1));
        }
        else
        {
            RaiseEvent(new Added(1));
        }
    }
}
