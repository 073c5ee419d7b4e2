using Geo.Directory;
using Geo.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>Asks everybody how they are, all at the same time, and puts it together.</summary>
internal sealed class Overviews(
    ISiloAccess access, IGeoStatus status, Neighbours neighbours, IOptions<GeoHealthOptions> health,
    IOptions<GeoAdministrationOptions> options, TimeProvider time)
{
    /// <exception cref="GeoUnavailableException">The silo has not started, or stops.</exception>
    public async Task<Overview> ReadAsync(CancellationToken cancellationToken)
    {
        var silo = status.Read() ?? throw new GeoUnavailableException("The silo has not started, or stops.");
        var asking = Task.WhenAll(silo.Others.Select(other => neighbours.AskAsync(other, cancellationToken)));
        var remembering = Task.WhenAll(silo.Others.Select(other => neighbours.AskMovesAsync(other.Cluster, cancellationToken)));
        var own = Histories.ReadAsync(access, key: null, options.Value.AnswerTimeout, cancellationToken).AsTask();
        var stores = await status.AskStoresAsync(options.Value.AnswerTimeout, cancellationToken);
        var others = await asking;
        HistoryView?[] histories = [await own, .. await remembering];
        var now = time.GetUtcNow();
        var seen = new Seen(
            silo, stores, neighbours.StoreIdentities, [.. others.Select(other => other.View)], neighbours.Version, now);
        return new()
        {
            Cluster = silo.Cluster.Name,
            Node = silo.Node,
            Version = neighbours.Version,
            At = now,
            Clusters = [Own(silo, now), .. seen.Others],
            RoundTrips =
            [
                .. Trips(silo.Cluster.Name, RoundTrips.Of(silo)),
                .. others.Where(other => other.Summary is not null)
                    .SelectMany(other => Trips(other.View.Name, other.Summary!.RoundTripsMs)),
            ],
            Links = [.. silo.Others.SelectMany(other => other.Links).OrderBy(link => link.Peer, StringComparer.Ordinal).Select(View)],
            Stores = [.. stores.Select(store => new StoreView(store.Store, store.Time.TotalMilliseconds, store.Trouble, store.Identity))],
            DoubtfulGrains = silo.Doubtful.Rows,
            DoubtfulSeconds = silo.Doubtful.Oldest.TotalSeconds,
            LeaseSeconds = silo.Lease?.Age.TotalSeconds,
            Lags = [.. silo.Lags.Select(lag => new LagView(lag.Cluster.Name, lag.GrainClass, lag.Grains, lag.Lag.TotalSeconds))],
            History = Histories.Together(histories),
            Changes =
            [
                .. access.ConfigurationSteps.Newest(Histories.Most).Select(step => new ChangeView(step.At, step.Version, step.What)),
            ],
            Findings = Doctor.Examine(seen, health.Value, options.Value),
        };
    }

    private ClusterView Own(SiloReport silo, DateTimeOffset now) => new()
    {
        Name = silo.Cluster.Name,
        HasAnswered = true,
        Node = silo.Node,
        Version = neighbours.Version,
        CertificateDays = (silo.CertificateEnds - now)?.TotalDays,
        StoreIdentities = neighbours.StoreIdentities,
    };

    private static IEnumerable<RoundTripView> Trips(string from, IReadOnlyDictionary<string, double> to) =>
        to.Select(trip => new RoundTripView(from, trip.Key, trip.Value));

    private static LinkView View(LinkStatus link) => new()
    {
        Peer = link.Peer,
        Cluster = link.Cluster.Name,
        Dialled = link.WasDialledHere,
        UpSeconds = link.Age.TotalSeconds,
        RoundTripMs = link.RoundTrip?.TotalMilliseconds,
        QueuedBytes = link.QueuedBytes,
        Fill = link.Fill,
        PendingRequests = link.PendingRequests,
    };
}
