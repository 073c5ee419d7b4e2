using System.Diagnostics;
using System.Net;
using System.Reflection;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Processes;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Testing.Wan;

namespace Geo.Experiments.Regions;

/// <summary>
/// Three regions as processes that keep by majority who owns what, each part in a file of its own, on links as slow as the way between them
/// is long.
/// </summary>
internal sealed class ThreeRegions : IAsyncDisposable
{
    private const int MaxLogLines = 20_000;
    private const int OperationsPerSecond = 10_000;
    private const int MaxQueued = 10_000;
    private static readonly TimeSpan LinkPatience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly TemporaryFolder _folder = new();
    private readonly Dictionary<string, ChildProcess> _processes = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Caller, string Called), DelayedLink> _links = [];
    private readonly List<ChildLog> _logs = [];
    private ChildProcess? _account;

    private ThreeRegions()
    {
    }

    /// <param name="host">What runs the silos.</param>
    /// <param name="distances">Between them.</param>
    /// <param name="isLive">True where regions are to come and go; on the embedded host.</param>
    /// <param name="logFolder">Where the processes' warnings are kept; null for nowhere.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <exception cref="ChildFailedException">A process could not do its part, or Orleans is not in this build.</exception>
    public static async Task<ThreeRegions> StartAsync(
        ExperimentHost host, Distances distances, bool isLive, string? logFolder, CancellationToken cancellationToken)
    {
        var regions = new ThreeRegions();
        try
        {
            await regions.StartAllAsync(host, distances, isLive, logFolder, cancellationToken);
            return regions;
        }
        catch
        {
            await regions.DisposeAsync();
            throw;
        }
    }

    /// <summary>Asks a region's process.</summary>
    public Task<MemberAnswer> AskAsync(string region, MemberQuestion question, CancellationToken cancellationToken) =>
        _processes[region].AskAsync<MemberQuestion, MemberAnswer>(question, Patience, cancellationToken);

    /// <summary>Asks the same of all.</summary>
    public async Task<Dictionary<string, MemberAnswer>> AskAllAsync(MemberQuestion question, CancellationToken cancellationToken)
    {
        var answers = await Task.WhenAll(Distances.Regions.Select(region => AskAsync(region, question, cancellationToken)));
        return Distances.Regions.Zip(answers).ToDictionary(a => a.First, a => a.Second);
    }

    /// <summary>From now on nothing comes to a region, or from it, and nobody is told; until it is healed.</summary>
    /// <returns>When it was so.</returns>
    public long Cut(string region)
    {
        foreach (var link in LinksOf(region))
        {
            link.Cut(CutMode.BlackHole);
        }

        return Stopwatch.GetTimestamp();
    }

    /// <summary>Ends the cut.</summary>
    /// <returns>When it began to end.</returns>
    public long Heal(string region)
    {
        var now = Stopwatch.GetTimestamp();
        foreach (var link in LinksOf(region))
        {
            link.Heal();
        }

        return now;
    }

    /// <summary>Processor time that the processes of the regions have used.</summary>
    public TimeSpan ProcessorTime => TimeSpan.FromTicks(_processes.Values.Sum(p => p.ProcessorTime.Ticks));

    public async ValueTask DisposeAsync()
    {
        foreach (var process in _processes.Values.Reverse())
        {
            await process.DisposeAsync();
        }

        foreach (var link in _links.Values)
        {
            await link.DisposeAsync();
        }

        if (_account is not null)
        {
            await _account.DisposeAsync();
        }

        _logs.ForEach(log => log.Dispose());
        _folder.Dispose();
    }

    private IEnumerable<DelayedLink> LinksOf(string region) =>
        _links.Where(l => l.Key.Caller == region || l.Key.Called == region).Select(l => l.Value);

    private async Task StartAllAsync(
        ExperimentHost host, Distances distances, bool isLive, string? logFolder, CancellationToken cancellationToken)
    {
        var account = isLive ? await StartAccountAsync(cancellationToken) : null;
        var addresses = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var (number, region) in Distances.Regions.Index())
        {
            foreach (var (called, address) in addresses)
            {
                _links[(region, called)] = DelayedLink.Start(new DelayedLinkOptions
                {
                    Target = IPEndPoint.Parse(address),
                    OneWayDelay = distances.Between(region, called) / 2,
                });
            }

            var others = Distances.Regions.Where(other => other != region)
                .ToDictionary(other => other, other => _links.GetValueOrDefault((region, other))?.ListeningOn.ToString());
            var log = new ChildLog(logFolder is null ? null : Path.Combine(logFolder, $"{region}.log"), MaxLogLines);
            _logs.Add(log);
            _processes[region] = ChildProcess.Start(
                region, Program(host), new MemberSettings(region, number, others, _folder.File($"{region}.db"), account), log);
            addresses[region] = await _processes[region].ReadyAsync<string>(cancellationToken);
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(LinkPatience);
        while (!(await AskAllAsync(new(), patience.Token)).Values.All(answer => answer.IsLinked))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), patience.Token);
        }
    }

    private async Task<string> StartAccountAsync(CancellationToken cancellationToken)
    {
        var log = new ChildLog();
        _logs.Add(log);
        _account = ChildProcess.Start(
            "the storage account", ProgramStart.Of(Assembly.GetExecutingAssembly(), StoreRole.Name),
            new StoreSettings(StoreKind.Memory, null, OperationsPerSecond, MaxQueued), log);
        return await _account.ReadyAsync<string>(cancellationToken);
    }

    private static ProcessStartInfo Program(ExperimentHost host) => host == ExperimentHost.Orleans
        ? ProgramStart.Dotnet(OrleansPeer.Assembly ?? throw new ChildFailedException(OrleansPeer.Absence), MemberRole.Name)
        : ProgramStart.Of(Assembly.GetExecutingAssembly(), MemberRole.Name);
}
