using System.Diagnostics;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// A client of one cluster, outside of its silos or within one: calls one grain after the other and records what it was told.
/// </summary>
internal sealed class StandardClient
{
    // A time-out is noticed this much late at most: by the wheels of both ends, and on the way.
    private static readonly TimeSpan Lateness = TimeSpan.FromSeconds(1);

    private readonly StandardRun _run;
    private readonly SimulatedCluster _cluster;
    private readonly SimulatedClient? _outside;
    private readonly ChoiceTape _choices;
    private readonly IReadOnlyList<StandardGrain> _grains;
    private readonly string _name;

    public StandardClient(StandardRun run, SimulatedCluster cluster, string name, bool isOutside)
    {
        (_run, _cluster, _name) = (run, cluster, name);
        _choices = run.World.Choices.Tape($"client {name}");
        _grains = run.Grains;
        if (isOutside)
        {
            _outside = cluster.Client(name);
            _outside.Options.RequestTimeout = run.Patience;
        }
    }

    /// <summary>True for a client within the silos while none is up.</summary>
    private bool IsNowhere => _outside is null && !_cluster.Silos.Any(s => s.IsUp);

    private TimeSpan Now => _run.World.Time.Elapsed;

    /// <summary>Calls until a time.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (Now < until && _choices.HasMore)
        {
            StandardCall call;
            using (_choices.Span(_name))
            {
                await Task.Delay(_choices.Between(TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(300)), _run.World.Time);
                call = Choose();
            }

            await CallAsync(call);
        }
    }

    /// <summary>Reads a grain's whole log, linearizably; null when that is not possible.</summary>
    public async Task<IReadOnlyList<int>?> DumpAsync(StandardGrain grain)
    {
        int[]? log = null;
        try
        {
            await OnLaneAsync(async grains => log = await grain.From(grains).Dump());
        }
        catch (GeoException e)
        {
            _run.World.Trace.Note($"{_name} cannot dump {grain}: {e.Message}");
        }

        return log;
    }

    private StandardCall Choose()
    {
        var grain = _grains[_choices.Next(_grains.Count)];
        return _choices.Next(61) switch
        {
            < 14 => new StandardCall(CallKind.Read, grain, []),
            < 36 => new StandardCall(CallKind.Append, grain, [_run.NextUpdate()]),
            < 42 => new StandardCall(CallKind.Append, grain, [_run.NextUpdate(), _run.NextUpdate(), _run.NextUpdate()]),
            < 45 => new StandardCall(CallKind.AppendIf, grain, [_run.NextUpdate()]),
            < 48 => new StandardCall(CallKind.Enqueue, grain, [_run.NextUpdate()]),
            < 55 => new StandardCall(CallKind.Peek, grain, []),
            < 56 => new StandardCall(CallKind.Survey, grain, []),
            60 when grain.MayHang && _run.Faults.HasFlag(SimulatedFaults.Hangs) => new StandardCall(CallKind.Hang, grain, []),
            _ => new StandardCall(CallKind.Leave, grain, []),
        };
    }

    private async Task CallAsync(StandardCall call)
    {
        var isRecorded = call.Kind switch
        {
            CallKind.Append or CallKind.AppendIf or CallKind.Enqueue => true,
            CallKind.Read => call.Grain.HasLinearizableReads,
            _ => false,
        };
        var operation = isRecorded ? _run.History.Call(call.Grain.ToString(), _name, call) : null;
        var called = Now;
        var end = await EndOfAsync(call, operation);
        _run.World.Trace.Note($"{_name} {call} {end}");
        if (Now - called > _run.Patience + Lateness && !(_outside is null && _cluster.Silos.Any(s => s.IsFrozen || s.ThawedAt > called)))
        {
            _run.World.Fail($"{_name} waited {(Now - called).TotalSeconds:0.0} s for {call}");
        }
    }

    /// <summary>Calls, and records the end.</summary>
    private async Task<string> EndOfAsync(StandardCall call, HistoryOperation<StandardCall, LogPrefix>? operation)
    {
        LogPrefix? seen = null;
        var applied = true;
        var counts = _run.World.Counts;
        Exception? failure = IsNowhere ? NoSilo() : null;
        var there = true;
        try
        {
            there = failure is not null || await OnLaneAsync(async grains =>
            {
                (seen, applied, failure) = await ExecuteAsync(call, call.Grain.From(grains));
            });
        }
        catch (Exception e) when (e is not SimulationException)
        {
            failure = e;
        }

        switch (failure)
        {
            case null when !there:
                counts.UpdatesOpen += call.Updates.Count;
                return "open: its silo is gone";
            case null:
                break;
            case GeoUnavailableException or InconsistentStateException:
                counts.Unavailable++;
                counts.NeverPlaced += failure.Message.Contains("MaxRoutingAttempts", StringComparison.Ordinal) ? 1 : 0;
                operation?.Fail();
                return failure.GetType().Name;
            case GeoOutcomeUnknownException or OperationCanceledException or ObjectDisposedException:
                counts.UpdatesOpen += call.Updates.Count;
                return failure.GetType().Name;
            default:
                _run.World.Fail($"{_name} was told of {call}: {failure}");
                return failure.GetType().Name;
        }

        switch (call.Kind)
        {
            case CallKind.Append or CallKind.AppendIf when applied:
                counts.UpdatesConfirmed += call.Updates.Count;
                operation?.Return(default);
                break;
            case CallKind.AppendIf:
                operation?.Fail();
                return "declined";
            case CallKind.Read:
                counts.Reads++;
                operation?.Return(seen!.Value);
                break;
        }

        return "done";
    }

    /// <summary>
    /// Calls. What the call fails with is handed on, not thrown: each await that an exception passes through throws it anew.
    /// </summary>
    private static async Task<(LogPrefix? Seen, bool Applied, Exception? Failure)> ExecuteAsync(StandardCall call, ILogGrain grain)
    {
        Task promise = call.Kind switch
        {
            CallKind.Append => grain.Append([.. call.Updates]),
            CallKind.AppendIf => grain.AppendIf(call.Updates[0]),
            CallKind.Enqueue => grain.Enqueue(call.Updates[0]),
            CallKind.Read => grain.Read(),
            CallKind.Peek => grain.Peek(),

            // Only grains further on, so that two that survey do not wait for each other.
            CallKind.Survey => grain.Survey(call.Grain.Key == "1" ? ["2"] : []),
            CallKind.Leave => grain.Leave(),
            CallKind.Hang => grain.Hang(),
            _ => throw new UnreachableException(),
        };
        await promise.ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
        return promise switch
        {
            { IsCanceled: true } => (null, false, new TaskCanceledException(promise)),
            { Exception: { } failure } => (null, false, failure.InnerException),
            Task<LogPrefix> read => (read.Result, true, null),
            Task<bool> conditional => (null, conditional.Result, null),
            _ => (null, true, null),
        };
    }

    private GeoUnavailableException NoSilo() => new($"No silo of {_cluster} is up.");

    /// <returns>False when the silo in which the call was made has crashed.</returns>
    private async Task<bool> OnLaneAsync(Func<IGrainFactory, Task> call)
    {
        if (_outside is { } client)
        {
            await client.Lane.RunAsync(() => call(client.Grains));
            return true;
        }

        var up = _cluster.Silos.Where(s => s.IsUp).ToArray();
        if (up.Length == 0)
        {
            throw NoSilo();
        }

        var silo = up[_choices.Next(up.Length)];
        return await silo.RunAsync(() => call(silo.Grains));
    }
}
