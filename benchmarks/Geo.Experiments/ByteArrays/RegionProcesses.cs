using System.Diagnostics;
using System.Reflection;
using ByteArraySample;
using Geo.Experiments.Losses;
using Geo.Experiments.Processes;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Testing.Wan;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// The paper's Figure 7 in processes: the storage account, and two regions with a silo and robots each, on links as slow as the way between
/// them is long.
/// </summary>
internal sealed class RegionProcesses : IAsyncDisposable
{
    // Nothing but latency holds an operation up.
    private const int Unlimited = 1_000_000;
    private const int MaxQueued = 100_000;
    private static readonly TimeSpan LinkPatience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan StepPatience = TimeSpan.FromMinutes(5);

    private readonly ChildProcess _account;
    private readonly ChildProcess _near;
    private readonly ChildProcess _far;

    private RegionProcesses(ChildProcess account, ChildProcess near, ChildProcess far) => (_account, _near, _far) = (account, near, far);

    /// <param name="host">What runs the silos.</param>
    /// <param name="roundTrip">Between the regions, and from the far one to the account.</param>
    /// <param name="storage">From the near region to the account.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <exception cref="ChildFailedException">A process could not do its part, or Orleans is not in this build.</exception>
    public static async Task<RegionProcesses> StartAsync(
        ExperimentHost host, TimeSpan roundTrip, TimeSpan storage, CancellationToken cancellationToken)
    {
        var started = new List<ChildProcess>();
        var log = new ChildLog();
        try
        {
            var account = Start(
                "the storage account", Own(StoreRole.Name), new StoreSettings(StoreKind.Memory, null, Unlimited, MaxQueued));
            var address = await account.ReadyAsync<string>(cancellationToken);
            var near = Start(Arrays.Near, Region(), new RegionSettings(Arrays.Near, Arrays.Far, null, roundTrip, address, storage));
            var link = await near.ReadyAsync<string>(cancellationToken);
            var far = Start(Arrays.Far, Region(), new RegionSettings(Arrays.Far, Arrays.Near, link, roundTrip, address, roundTrip));
            await far.ReadyAsync<string>(cancellationToken);
            var regions = new RegionProcesses(account, near, far);
            await regions.LinkAsync(cancellationToken);
            return regions;
        }
        catch
        {
            await EndAsync(started);
            throw;
        }

        ChildProcess Start<TSettings>(string name, ProcessStartInfo program, TSettings settings)
        {
            var child = ChildProcess.Start(name, program, settings, log);
            started.Add(child);
            return child;
        }

        ProcessStartInfo Region() => host == ExperimentHost.Orleans
            ? ProgramStart.Dotnet(OrleansPeer.Assembly ?? throw new ChildFailedException(OrleansPeer.Absence), ArrayRole.Name)
            : Own(ArrayRole.Name);
    }

    /// <summary>Makes accesses from a region, and gives the time of each in ms.</summary>
    public async Task<double[]> StepAsync(bool isNear, RegionStep step, CancellationToken cancellationToken) =>
        (await AskAsync(isNear, new(Step: step), StepPatience, cancellationToken)).Times!;

    /// <summary>Runs robots in a region, and gives how many accesses were answered in time.</summary>
    public async Task<long> LoadAsync(bool isNear, RegionLoad load, CancellationToken cancellationToken) =>
        (await AskAsync(isNear, new(Load: load), load.Time + StepPatience, cancellationToken)).Answers;

    /// <summary>
    /// Loses the far region while both call its arrays all the time, and says how long after it each optimistic one answered in the near
    /// region, and then how long after it each pessimistic one was refused there first.
    /// </summary>
    /// <param name="loss">How it is lost.</param>
    /// <param name="arrays">How many arrays of each mode there are.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ChildFailedException">
    /// An array did not do so within 60 s, or a pessimistic one answered in the near region.
    /// </exception>
    public async Task<TimeSpan[]> LoseFarAsync(LossEvent loss, int arrays, CancellationToken cancellationToken)
    {
        await AskAsync(isNear: false, new(Loss: new(LossStage.Own, arrays)), StepPatience, cancellationToken);
        await AskAsync(isNear: true, new(Loss: new(LossStage.Watch, arrays)), StepPatience, cancellationToken);
        var began = Stopwatch.GetTimestamp();
        await (loss switch
        {
            LossEvent.Killed => _far.KillAsync(),
            LossEvent.Frozen => _far.SignalAsync("STOP"),
            LossEvent.LinkBroken => AskAsync(isNear: true, new(Loss: new(LossStage.Cut)), StepPatience, cancellationToken),
            _ => AskAsync(isNear: true, new(Loss: new(LossStage.Cut, Cut: CutMode.BlackHole)), StepPatience, cancellationToken),
        });
        var told = await AskAsync(isNear: true, new(Loss: new(LossStage.Tell)), StepPatience, cancellationToken);
        return [.. told.Seen!.Select(seen => Stopwatch.GetElapsedTime(began, seen))];
    }

    public ValueTask DisposeAsync() => EndAsync([_far, _near, _account]);

    private static ProcessStartInfo Own(string role) => ProgramStart.Of(Assembly.GetExecutingAssembly(), role);

    private static async ValueTask EndAsync(IEnumerable<ChildProcess> children)
    {
        foreach (var child in children)
        {
            await child.DisposeAsync();
        }
    }

    private Task<RegionAnswer> AskAsync(
        bool isNear, RegionQuestion question, TimeSpan patience, CancellationToken cancellationToken) =>
        (isNear ? _near : _far).AskAsync<RegionQuestion, RegionAnswer>(question, patience, cancellationToken);

    private async Task LinkAsync(CancellationToken cancellationToken)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(LinkPatience);
        foreach (var isNear in (bool[])[true, false])
        {
            while (!(await AskAsync(isNear, new(), LinkPatience, patience.Token)).IsLinked)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(50), patience.Token);
            }
        }
    }
}
