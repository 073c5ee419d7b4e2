using System.Diagnostics.Metrics;

namespace Geo.Messaging;

/// <summary>The instruments of a node that show how things stand when somebody looks.</summary>
internal static class MessagingGauges
{
    public static void AddTo(
        Meter meter, MessagingTags tags, Func<IEnumerable<PeerLink>> links, Func<IEnumerable<ClusterId>> clusters, PeerAccounts accounts)
    {
        Add("queued_bytes", "By", "Bytes that wait to be sent.", ByLane(lane => lane.Sender.QueuedBytes));
        Add("bulk_lanes", "{lane}", "Lanes for large messages that are open.", () => links().SelectMany(link => link.Lanes)
            .Where(lane => lane.Pieces.Lanes.Most > 0)
            .Select(lane => new Measurement<long>(
                lane.Pieces.Lanes.Count, tags.Of(lane.Remote).Append(MessagingTags.Channel(lane.Id)))));
        Add(
            "gathered_bytes", "By",
            "Bytes of large messages, and of what follows them, that have begun to arrive and whose handlers have not begun.",
            ByLane(lane => lane.Pieces.Inbox.OpenBytes));
        Add(
            "large_bytes", "By", "Bytes that large messages of all peers hold, from their first piece until their handlers have ended.",
            () => [new Measurement<long>(accounts.Large.Held, tags.Local)]);
        Add(
            "small_bytes", "By", "Bytes that other messages of all peers hold, from their arrival until their handlers have ended.",
            () => [new Measurement<long>(accounts.Small.Held, tags.Local)]);
        Add(
            "reply_bytes", "By", "Bytes of replies to all peers that have not been sent.",
            () => [new Measurement<long>(accounts.Replies.Held, tags.Local)]);
        Add("in_flight", "By", "Bytes of large messages on the way to a peer.", ByLink(link => link.Context.Budget.InFlight));
        meter.CreateObservableGauge(
            "geo.messaging.in_flight_budget", ByLink(link => link.Context.Budget.Bytes), "By",
            "Bytes of large messages that may be on the way to a peer.");
        Add("pending_requests", "{request}", "Requests that wait for their replies.", ByLink(link => link.Context.Requests.Count));
        Add("running_handlers", "{handler}", "Handlers that run for a peer.", ByLink(link => link.Context.Account.Handlers.Count));
        Add("links", "{link}", "Links that are up.", () => links().Where(link => link.IsOpen).Select(link => Of(link, 1)));

        // For alerts: a link that has ended has no value any more, and of what is no longer measured exporters may repeat the last one.
        Add(
            "cluster_links", "{link}", "Links that are up with the silos of another cluster that this one is to have links with.",
            () =>
            {
                var up = links().Where(link => link.IsOpen).CountBy(link => link.Remote.Cluster).ToDictionary();
                return clusters().Select(cluster => new Measurement<long>(
                    up.GetValueOrDefault(cluster), tags.Local, MessagingTags.Of(cluster)));
            });

        void Add(string name, string unit, string description, Func<IEnumerable<Measurement<long>>> values) =>
            meter.CreateObservableUpDownCounter($"geo.messaging.{name}", values, unit, description);

        Measurement<long> Of(PeerLink link, long value) => new(value, tags.Of(link.Remote));

        Func<IEnumerable<Measurement<long>>> ByLink(Func<PeerLink, long> value) => () => links().Select(link => Of(link, value(link)));

        Func<IEnumerable<Measurement<long>>> ByLane(Func<Lane, long> value) => () => links().SelectMany(link => link.Lanes)
            .Select(lane => new Measurement<long>(value(lane), tags.Of(lane.Remote, lane.Id)));
    }
}
