using System.Collections.Concurrent;
using System.Text.Json;
using Geo.Directory;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>
/// Asks the other clusters how they are, answers them, and greets them at an interval: whose greetings come while questions to it find no
/// answer hears nothing, and is not down.
/// </summary>
internal sealed class Neighbours(
    ISiloAccess silo, IGeoStatus status, IOptions<GeoAdministrationOptions> options, TimeProvider time, ILogger<Neighbours> logger)
    : IHostedLifecycleService, IDisposable
{
    /// <summary>The service under which clusters ask each other.</summary>
    public const string Service = "geo.status";

    private readonly ConcurrentDictionary<ClusterId, long> _heardAt = new();
    private readonly CancellationTokenSource _stopping = new();
    private Task _greeting = Task.CompletedTask;
    private IDisposable? _registration;
    private volatile IReadOnlyDictionary<string, string> _identities = new Dictionary<string, string>();

    /// <summary>The version that this silo tells; another one in tests.</summary>
    public string Version { get; set; } = SiloVersion.Current;

    /// <summary>The identities of this silo's stores by name, as last read.</summary>
    public IReadOnlyDictionary<string, string> StoreIdentities => _identities;

    /// <summary>How long ago a cluster greeted, or asked; null when it never did.</summary>
    public TimeSpan? HeardAgo(ClusterId cluster) => _heardAt.TryGetValue(cluster, out var at) ? time.GetElapsedTime(at) : null;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>The silo has started, in whatever order the host's services were added.</summary>
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _registration = silo.Messenger.Handle(Service, AnswerAsync);
        _greeting = Task.Run(() => GreetAsync(_stopping.Token), CancellationToken.None);
        return Task.CompletedTask;
    }

    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        await _stopping.CancelAsync();
        await _greeting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _registration?.Dispose();
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose() => _stopping.Dispose();

    /// <summary>Asks a cluster how it is; whatever happens, the view says it.</summary>
    public async Task<(ClusterView View, ClusterSummary? Summary)> AskAsync(ClusterStatus other, CancellationToken cancellationToken)
    {
        var (sent, sentAt) = (time.GetTimestamp(), time.GetUtcNow());
        var reply = await RequestAsync(other.Cluster, new(null), cancellationToken);
        var took = time.GetElapsedTime(sent);
        var view = new ClusterView
        {
            Name = other.Cluster.Name,
            OutOfReachSeconds = other.OutOfReach.TotalSeconds,
            HeardSecondsAgo = HeardAgo(other.Cluster)?.TotalSeconds,
        };
        if (Read<ClusterSummary>(reply) is not { IsWhole: true } summary)
        {
            return (view with
            {
                Trouble = reply.Reason ?? "its answer cannot be read",
                IsSilent = reply.Outcome == ReplyOutcome.Unknown,
                IsUnreadable = reply.Outcome == ReplyOutcome.Replied,
                HasNoEndpoint = reply.IsNotServed,
            }, null);
        }

        return (view with
        {
            HasAnswered = true,
            Node = summary.Node,
            Version = summary.Version,
            ClockAheadMs = (new DateTimeOffset(summary.UtcTicks, TimeSpan.Zero) - (sentAt + (took / 2))).TotalMilliseconds,
            ClockExactToMs = took.TotalMilliseconds / 2,
            CertificateDays = (summary.CertificateEnds - time.GetUtcNow())?.TotalDays,
            ReachesBack = summary.Reaches.Contains(silo.Messenger.LocalCluster.Name),
            StoreIdentities = summary.StoreIdentities,
        }, summary);
    }

    /// <summary>Asks a cluster what it knows of a grain; null when it does not answer.</summary>
    public async Task<GrainView?> AskAsync(ClusterId cluster, GrainKey grain, CancellationToken cancellationToken) =>
        Read<GrainView>(await RequestAsync(cluster, new(grain.ToString()), cancellationToken));

    /// <summary>Asks a cluster what it remembers of the latest moves of its grains; null when it does not answer.</summary>
    public async Task<HistoryView?> AskMovesAsync(ClusterId cluster, CancellationToken cancellationToken) =>
        Read<HistoryView>(await RequestAsync(cluster, new(null, Moves: true), cancellationToken));

    private ValueTask<ClusterReply> RequestAsync(ClusterId cluster, ClusterQuestion question, CancellationToken cancellationToken) =>
        silo.Messenger.RequestAsync(
            cluster, Service, JsonSerializer.SerializeToUtf8Bytes(question, AdminJson.Options),
            new MessageOptions(Timeout: options.Value.AnswerTimeout), cancellationToken);

    private static T? Read<T>(ClusterReply reply)
        where T : class
    {
        try
        {
            return reply.Outcome == ReplyOutcome.Replied ? JsonSerializer.Deserialize<T>(reply.Payload.Span, AdminJson.Options) : null;
        }
        catch (JsonException)
        {
            // Of another version; to be told as one that did not answer.
            return null;
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        _heardAt[message.From] = time.GetTimestamp();
        if (!message.ExpectsReply)
        {
            return default;
        }

        var question = JsonSerializer.Deserialize<ClusterQuestion>(message.Payload.Span, AdminJson.Options);
        var patience = options.Value.AnswerTimeout;
        object answer = question switch
        {
            { Grain: { } grain } => await GrainViews.ReadAsync(silo, GrainKey.Parse(grain), patience, cancellationToken),
            { Moves: true } => await Histories.ReadAsync(silo, key: null, patience, cancellationToken),
            _ => Summary(),
        };
        return JsonSerializer.SerializeToUtf8Bytes(answer, answer.GetType(), AdminJson.Options);
    }

    private ClusterSummary Summary()
    {
        var report = status.Read() ?? throw new GeoUnavailableException("The silo has not started, or stops.");
        return new()
        {
            Node = report.Node,
            Version = Version,
            UtcTicks = time.GetUtcNow().UtcTicks,
            CertificateEnds = report.CertificateEnds,
            Reaches = [.. report.Others.Where(other => other.IsInReach).Select(other => other.Cluster.Name)],
            RoundTripsMs = RoundTrips.Of(report),
            StoreIdentities = _identities,
        };
    }

    private async Task GreetAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(options.Value.AskInterval, time);
        try
        {
            do
            {
                await GreetOnceAsync(cancellationToken);
            }
            while (await timer.WaitForNextTickAsync(cancellationToken));
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    private async Task GreetOnceAsync(CancellationToken cancellationToken)
    {
        try
        {
            foreach (var other in status.Read()?.Others ?? [])
            {
                // Each of its silos: what one has heard the others do not know. Lost where there is no link, as it should be.
                for (var attempt = 0; attempt < Math.Max(1, other.Links.Count); attempt++)
                {
                    _ = silo.Messenger.TrySend(other.Cluster, Service, ReadOnlyMemory<byte>.Empty, new(Attempt: attempt));
                }
            }

            var answers = await status.AskStoresAsync(options.Value.AnswerTimeout, cancellationToken);
            _identities = answers.Where(answer => answer.Identity is not null && answer.Store != StoreAnswer.DirectoryRows)
                .ToDictionary(answer => answer.Store, answer => answer.Identity!);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            // Whatever it was, the next greeting is tried.
            AdministrationLog.GreetingFailed(logger, e);
        }
    }
}
