using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A versioned grain of the standard simulation, and what its guarantees promise of it at every moment.</summary>
internal abstract class LogGrain(StandardRun run) : JournaledGrain<SimulatedLog, LogAppended>, ILogGrain
{
    private readonly List<int> _own = [];
    private long _version;
    private bool _ended;

    private string Name => field ??= $"{RuntimeIdentity} {IdentityString}";

    public async Task Append(int[] updates)
    {
        Raise(updates);
        await ConfirmEvents();
        Look();
    }

    public async Task<bool> AppendIf(int update)
    {
        var applied = await RaiseConditionalEvent(new LogAppended(update));
        Look();
        return applied;
    }

    public Task Enqueue(int update)
    {
        Raise([update]);
        return Task.CompletedTask;
    }

    public async Task<LogPrefix> Read()
    {
        await RefreshNow();
        return Look();
    }

    [ReadOnly]
    public Task<LogPrefix> Peek() => Task.FromResult(Look());

    public async Task<int[]> Dump()
    {
        await RefreshNow();
        Look();
        return [.. State.Updates];
    }

    public async Task<int> Survey(string[] others)
    {
        var seen = await Task.WhenAll(others.Select(key => GrainFactory.GetGrain<ILogGrain>(key, GetType().FullName).Peek()));
        return seen.Sum(s => s.Count);
    }

    public Task<bool> Linger(int milliseconds) => run.LingerAsync(IdentityString, milliseconds, ServiceProvider);

    public Task Hang() => new TaskCompletionSource().Task;

    public Task Leave()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public override Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        _ended = true;
        return Task.CompletedTask;
    }

    protected override void OnStateChanged() => CheckVersion();

    protected override void OnTentativeStateChanged() => CheckOwnUpdates();

    protected override void OnConnectionIssue(ConnectionIssue issue) => run.World.Counts.Issues++;

    private void Raise(int[] updates)
    {
        if (updates.Length == 1)
        {
            RaiseEvent(new LogAppended(updates[0]));
        }
        else
        {
            RaiseEvents(updates.Select(u => new LogAppended(u)));
        }

        _own.AddRange(updates);
        CheckOwnUpdates();
    }

    /// <summary>Shows the last version known here, and checks it.</summary>
    private LogPrefix Look()
    {
        CheckVersion();
        CheckOwnUpdates();
        var seen = State.Prefix();
        if (seen.Count != Version)
        {
            run.World.Fail($"{Name} shows version {Version}, made of {seen.Count} updates");
        }

        run.Observe(IdentityString, Name, seen);
        return seen;
    }

    private void CheckVersion()
    {
        if (Version < _version)
        {
            run.World.Fail($"{Name} went back from version {_version} to {Version}");
        }

        _version = Version;
    }

    /// <summary>Read-your-writes, and in the order they were made.</summary>
    private void CheckOwnUpdates()
    {
        if (_ended)
        {
            return;
        }

        var next = 0;
        foreach (var update in TentativeState.Updates)
        {
            next += next < _own.Count && _own[next] == update ? 1 : 0;
        }

        if (next < _own.Count)
        {
            run.World.Fail($"{Name} does not see its own update {_own[next]} in its place");
        }
    }
}
