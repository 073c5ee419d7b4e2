using System.Globalization;
using Geo.Administration;
using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Shows parts of an overview.</summary>
internal static class OverviewScreens
{
    public static void Status(IAnsiConsole console, Overview overview)
    {
        console.Line(string.Create(
            CultureInfo.InvariantCulture, $"{overview.Cluster}: silo {overview.Node}, Geo {overview.Version}, {overview.At:u}"));
        var oldest = overview.DoubtfulGrains > 0 ? $", the oldest for {Words.Seconds(overview.DoubtfulSeconds)}" : "";
        var lease = overview.LeaseSeconds is { } age ? $"renewed {Words.Seconds(age)} ago" : "none is needed";
        console.Line($"Doubtful grains: {overview.DoubtfulGrains}{oldest}. Lease: {lease}.");
        var clusters = Table("cluster", "in reach", "answers", "links", "queued");
        foreach (var other in overview.Clusters.Skip(1))
        {
            var links = overview.Links.Where(link => link.Cluster == other.Name).ToList();
            Row(
                clusters, other.Name, other.OutOfReachSeconds == 0 ? "yes" : $"no, for {Words.Seconds(other.OutOfReachSeconds)}",
                other.HasAnswered ? "yes" : $"no: {other.Trouble}", $"{links.Count}", Words.Bytes(links.Sum(link => link.QueuedBytes)));
        }

        console.Write(clusters);
        var stores = Table("store", "one row", "trouble");
        foreach (var store in overview.Stores)
        {
            Row(stores, store.Name, Words.Ms(store.Ms), store.Trouble ?? Words.None);
        }

        console.Write(stores);
        console.Line(overview.Findings.Count == 0
            ? "Nothing is wrong."
            : $"Wrong: {string.Join(", ", overview.Findings.Select(finding => $"{finding.Name} ({finding.Subject})"))}. See geo doctor.");
    }

    public static void Clusters(IAnsiConsole console, Overview overview)
    {
        var clusters = Table("cluster", "version", "clock", "certificate", "silo that answered");
        foreach (var cluster in overview.Clusters)
        {
            Row(
                clusters, cluster.Name, cluster.Version ?? Words.None,
                cluster.ClockAheadMs is { } ahead
                    ? string.Create(CultureInfo.InvariantCulture, $"{ahead:+0;-0;0} ms, to {cluster.ClockExactToMs:0}")
                    : Words.None,
                Words.Days(cluster.CertificateDays), cluster.Node ?? $"none: {cluster.Trouble}");
        }

        console.Write(clusters);
        var names = overview.Clusters.Select(cluster => cluster.Name).ToList();
        var trips = Table(["round trip", .. names]);
        foreach (var from in names)
        {
            Row(trips, [from, .. names.Select(to => Words.Ms(
                overview.RoundTrips.FirstOrDefault(trip => trip.From == from && trip.To == to)?.Ms))]);
        }

        console.Write(trips);
    }

    public static void Links(IAnsiConsole console, Overview overview)
    {
        var links = Table("peer", "cluster", "dialled", "up", "round trip", "queued bytes", "fullest lane", "requests");
        foreach (var link in overview.Links)
        {
            Row(
                links, link.Peer, link.Cluster, link.Dialled ? "here" : "there", Words.Seconds(link.UpSeconds), Words.Ms(link.RoundTripMs),
                Words.Bytes(link.QueuedBytes), Words.Share(link.Fill), $"{link.PendingRequests}");
        }

        console.Write(links);
    }

    public static void Lag(IAnsiConsole console, Overview overview)
    {
        var lags = Table("cluster", "class", "grains", "behind by");
        foreach (var lag in overview.Lags.OrderByDescending(lag => lag.Seconds))
        {
            Row(lags, lag.Cluster, lag.GrainClass, $"{lag.Grains}", Words.Seconds(lag.Seconds));
        }

        if (overview.Lags.Count == 0)
        {
            console.Line("No cluster lacks anything.");
        }
        else
        {
            console.Write(lags);
        }
    }

    /// <summary>A table with a head.</summary>
    public static Table Table(params string[] columns)
    {
        var table = new Table().SimpleBorder();
        foreach (var column in columns)
        {
            table.AddColumn(new TableColumn(new Text(column)));
        }

        return table;
    }

    /// <summary>Adds a row; what stands in it is no markup.</summary>
    public static void Row(Table table, params string[] cells) => table.AddRow(cells.Select(cell => new Text(Words.Printable(cell))));
}
