using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Views;

/// <summary>One view of either protocol in cluster "b", which can be cut off from who decides, and another view in "a".</summary>
internal sealed class ToldWorld
{
    private readonly CasWorld? _stored;
    private readonly LeaderWorld? _led;

    internal ToldWorld(string kind, int maxWaiters = 10_000)
    {
        if (kind == "stored")
        {
            _stored = new() { Options = new() { MaxWaiters = maxWaiters } };
            _stored.Add("b");
            _stored.Add("a");
        }
        else
        {
            _led = new("a", "a", "b", "c") { Options = new() { MaxWaiters = maxWaiters }, Confirmation = UpdateConfirmation.Leader };
            Array.ForEach(["a", "b", "c"], cluster => _led.Add(cluster));
        }
    }

    internal GrainKey Grain { get; } = CasWorld.Grain;

    internal TimeProvider Time => Scheduler.Time;

    private SimulationScheduler Scheduler => _stored?.Scheduler ?? _led!.Scheduler;

    internal Task Delay(int milliseconds) => Task.Delay(TimeSpan.FromMilliseconds(milliseconds), Time);

    /// <summary>Runs with the view, which has loaded; then, where that is given, ends its process and runs with the other view.</summary>
    internal void Run(
        Func<IVersionedView<Notes, string>, Task> function, Func<IVersionedView<Notes, string>, Task>? afterCrash = null) =>
        Scheduler.Run(async () =>
        {
            Task Loaded(IVersionedView<Notes, string> view) => LoadedAsync(view, function);
            await (_stored is not null ? _stored.Instances[0].Do(Loaded) : _led!["b"].Do(Loaded));
            if (afterCrash is not null)
            {
                Crash();
                Heal();
                await (_stored is not null ? _stored.Instances[1].Do(afterCrash) : _led!["a"].Do(afterCrash));
            }
        });

    internal void CutOff()
    {
        _led?.Network.Isolate(new("b"));
        if (_stored is not null)
        {
            _stored.Store.IsUnreachable = true;
        }
    }

    internal void Heal()
    {
        _led?.Network.Heal();
        if (_stored is not null)
        {
            _stored.Store.IsUnreachable = false;
        }
    }

    private void Crash()
    {
        _stored?.Instances[0].Lane.Halt();
        _led?.Crash("b");
    }

    private static async Task LoadedAsync(IVersionedView<Notes, string> view, Func<IVersionedView<Notes, string>, Task> function)
    {
        await view.RefreshAsync();
        await function(view);
    }
}
