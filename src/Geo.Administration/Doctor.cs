using System.Globalization;
using Geo.HealthChecks;

namespace Geo.Administration;

/// <summary>Names the faults in what a silo and its neighbours say. Pure: the same words give the same findings.</summary>
internal static class Doctor
{
    public const string RegionDown = "region-down";
    public const string OneWayLink = "one-way-link";
    public const string ClockSkew = "clock-skew";
    public const string StoreSlow = "store-slow";
    public const string StoreNotShared = "store-not-shared";
    public const string CertificateExpiring = "certificate-expiring";
    public const string VersionMix = "version-mix";
    public const string DoubtfulStays = "doubtful-stays";
    public const string LaneFull = "lane-full";
    public const string ReplicaBehind = "replica-behind";

    private const double MissedGreetings = 1.5;

    /// <summary>The faults, the gravest first.</summary>
    /// <param name="seen">What is looked at.</param>
    /// <param name="health">From when on something is a fault, as the health checks say it.</param>
    /// <param name="options">The same, of what those do not look at.</param>
    public static IReadOnlyList<Finding> Examine(Seen seen, GeoHealthOptions health, GeoAdministrationOptions options)
    {
        var reached = seen.Others.Where(other => other.OutOfReachSeconds == 0).Select(other => other.Name).ToHashSet();
        return
        [
            .. seen.Others.Select(other => Link(other, options)).OfType<Finding>(),
            .. Stores(seen, health),
            .. Clocks(seen, options),
            .. Certificates(seen, health),
            .. Versions(seen),
            .. Doubtful(seen, health, allInReach: reached.Count == seen.Others.Count),
            .. Lanes(seen, options),
            .. seen.Silo.Lags.Where(lag => lag.Lag > health.ReplicationLag && reached.Contains(lag.Cluster.Name)).Select(lag => new Finding(
                ReplicaBehind, $"{lag.Cluster} {lag.GrainClass}",
                Text($"{lag.Cluster} has lacked updates of {lag.Grains} grains of {lag.GrainClass} for {lag.Lag.TotalSeconds:0.#} s."),
                "Look at that cluster's load and log; it takes what it lacks by itself.")),
        ];
    }

    private static Finding? Link(ClusterView other, GeoAdministrationOptions options)
    {
        // Greetings that came after the link was lost, or that go on while questions are not answered: a region that died just now was
        // heard just before.
        var isHeard = other.HeardSecondsAgo < MissedGreetings * options.AskInterval.TotalSeconds
            && (other.OutOfReachSeconds == 0 || other.HeardSecondsAgo < other.OutOfReachSeconds);
        if (other.HasAnswered)
        {
            return other.ReachesBack != false ? null : new(
                OneWayLink, other.Name, $"{other.Name} answers, but says that it cannot reach this cluster.",
                "Let it dial too: check its list of clusters, and the firewall in that direction.");
        }

        if (other.HasNoEndpoint && other.OutOfReachSeconds == 0)
        {
            // Nothing is known of it but that it is there, which is no fault.
            return null;
        }

        if (isHeard && (other.IsSilent || other.OutOfReachSeconds > 0))
        {
            return new(
                OneWayLink, other.Name,
                Text($"{other.Name} was heard {other.HeardSecondsAgo:0.#} s ago, but what is sent to it finds no answer: {other.Trouble}."),
                "What goes to that cluster is lost: check the firewall and the routes in that direction.");
        }

        if (other.IsUnreadable)
        {
            return new(
                VersionMix, other.Name, $"{other.Name} answers, but not what this version of Geo understands: {other.Trouble}.",
                "Finish the upgrade: versions are to be mixed for no longer than it takes.");
        }

        var ago = other.OutOfReachSeconds > 0
            ? Text($"{other.Name} has been out of reach for {other.OutOfReachSeconds:0.#} s")
            : $"{other.Name} does not answer";
        return new(
            RegionDown, other.Name, $"{ago}: {other.Trouble}.",
            "Is it running, and reachable at the addresses that this cluster has for it? This one goes on serving.");
    }

    private static IEnumerable<Finding> Stores(Seen seen, GeoHealthOptions health)
    {
        foreach (var store in seen.Stores)
        {
            if (store.Trouble is not null || store.Time > health.SlowStore)
            {
                yield return new(
                    StoreSlow, store.Store, store.Trouble is { } trouble ? $"Store '{store.Store}': {trouble}."
                        : Text($"Store '{store.Store}' took {store.Time.TotalMilliseconds:0} ms for one row."),
                    "Look at the store's own latency and limits, and at the network to it.");
            }
        }

        foreach (var other in seen.Others)
        {
            foreach (var (name, theirs) in other.StoreIdentities)
            {
                if (seen.StoreIdentities.TryGetValue(name, out var ours) && ours != theirs)
                {
                    yield return new(
                        StoreNotShared, name, $"Store '{name}' of {other.Name} is another one than that of {seen.Silo.Cluster}.",
                        "Give both the same store: a grain that moves between them leaves its state behind.");
                }
            }
        }
    }

    private static IEnumerable<Finding> Clocks(Seen seen, GeoAdministrationOptions options) => seen.Others
        .Where(other => Math.Abs(other.ClockAheadMs ?? 0) - (other.ClockExactToMs ?? 0) > options.ClockSkew.TotalMilliseconds)
        .Select(other => new Finding(
            ClockSkew, other.Name,
            Text($"The clock of {other.Name} is {other.ClockAheadMs:+0;-0} ms from this one's, to {other.ClockExactToMs:0} ms."),
            "Have both follow a time service."));

    private static IEnumerable<Finding> Certificates(Seen seen, GeoHealthOptions health)
    {
        var own = (seen.Silo.Cluster.Name, Days: (seen.Silo.CertificateEnds - seen.Now)?.TotalDays);
        return seen.Others.Select(other => (other.Name, Days: other.CertificateDays)).Prepend(own)
            .Where(cluster => cluster.Days < health.CertificateWarning.TotalDays)
            .Select(cluster => new Finding(
                CertificateExpiring, cluster.Name, Text($"The certificate of {cluster.Name} is good for {cluster.Days:0.#} more days."),
                "Put a new one in its file: it is read again while the silo runs."));
    }

    private static IEnumerable<Finding> Versions(Seen seen)
    {
        var versions = seen.Others.Where(other => other.Version is not null).Select(other => (other.Name, other.Version))
            .Prepend((seen.Silo.Cluster.Name, seen.Version)).ToList();
        return versions.Select(cluster => cluster.Version).Distinct().Skip(1).Any()
            ?
            [
                new(
                    VersionMix, "all", string.Join(", ", versions.Select(cluster => $"{cluster.Name} runs {cluster.Version}")) + ".",
                    "Finish the upgrade: versions are to be mixed for no longer than it takes."),
            ]
            : [];
    }

    private static IEnumerable<Finding> Doubtful(Seen seen, GeoHealthOptions health, bool allInReach) =>
        allInReach && seen.Silo.Doubtful.Rows > 0 && seen.Silo.Doubtful.Oldest > health.DoubtfulAge
            ?
            [
                new(
                    DoubtfulStays, seen.Silo.Cluster.Name,
                    Text($"{seen.Silo.Doubtful.Rows} grains are Doubtful, the oldest for {seen.Silo.Doubtful.Oldest.TotalSeconds:0.#} s, ")
                        + "although all clusters are in reach.",
                    "`geo doubtful` lists them; the log says why their rounds do not end."),
            ]
            : [];

    private static IEnumerable<Finding> Lanes(Seen seen, GeoAdministrationOptions options) => seen.Silo.Others
        .SelectMany(other => other.Links).Where(link => link.Fill >= options.LaneFill)
        .Select(link => new Finding(
            LaneFull, link.Peer, Text($"A lane to {link.Peer} is {link.Fill:P0} full, with {link.QueuedBytes:N0} bytes on the link."),
            "It does not keep up: look at its load, and at the bandwidth to it. A full lane refuses."));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
