namespace Geo.Experiments.Messaging;

/// <summary>One way of carrying a cell's messages.</summary>
/// <param name="Name">Its name in the report.</param>
/// <param name="IsPlain">True for the socket program that stands beside, false for Geo.Messaging.</param>
/// <param name="Lanes">The connections of the default channel.</param>
/// <param name="HasAffinity">True when an actor's messages share a key; false when each has its own, which spreads them over the lanes.</param>
/// <param name="BackgroundLanes">The connections of a channel for background traffic; 0 when it shares the default channel.</param>
/// <param name="BackgroundActors">The actors that echo beside the measured ones.</param>
internal sealed record Variant(
    string Name, bool IsPlain, int Lanes, bool HasAffinity = true, int BackgroundLanes = 0, int BackgroundActors = 0)
{
    private const int BulkActors = 16;
    private const int GossipActors = 2;

    /// <summary>The variants that are compared at a cell, the ones that others are put in relation to first.</summary>
    public static IReadOnlyList<Variant> Of(Workload workload, int lanes) => workload switch
    {
        Workload.Echo => [Plain(1), Plain(lanes), .. Geo(lanes)],
        Workload.KeyValue => Geo(lanes),
        Workload.HeadOfLine =>
        [
            new("plain, one connection", true, 1, BackgroundActors: BulkActors),
            new($"plain, own connection beside {lanes}", true, 1, BackgroundLanes: lanes, BackgroundActors: BulkActors),
            new("geo, 1 lane, own key", false, 1, BackgroundActors: BulkActors),
            new($"geo, {lanes} lanes, own key", false, lanes, BackgroundActors: BulkActors),
            new($"geo, own channel beside {lanes} lanes", false, 1, BackgroundLanes: lanes, BackgroundActors: BulkActors),
        ],
        _ => [Plain(1), new("geo, 1 lane", false, 1)],
    };

    private static Variant Plain(int connections) => new($"plain, {connections} {(connections == 1 ? "connection" : "connections")}", true, connections);

    private static Variant[] Geo(int lanes) =>
    [
        new("geo, 1 lane", false, 1),
        new($"geo, {lanes} lanes", false, lanes, HasAffinity: false),
        new($"geo, {lanes} lanes, affinity", false, lanes),
        new($"geo, {lanes} lanes, background shares them", false, lanes, BackgroundActors: GossipActors),
        new($"geo, {lanes} lanes, background channel", false, lanes, BackgroundLanes: 1, BackgroundActors: GossipActors),
    ];
}
