namespace Geo.Experiments.Messaging;

/// <summary>One way of carrying a cell's messages.</summary>
/// <param name="Name">Its name in the report.</param>
/// <param name="Stack">What carries them.</param>
/// <param name="Lanes">The connections: of the default channel, of the socket program, or of Orleans to an endpoint.</param>
/// <param name="HasAffinity">
/// True when an actor's messages share a key; false when each has its own, which spreads them over the lanes.
/// </param>
/// <param name="BackgroundLanes">The connections of a channel for background traffic; 0 when it shares the default channel.</param>
/// <param name="BackgroundActors">The actors that echo beside the measured ones.</param>
/// <param name="PooledActors">
/// True when the actors of the socket program go on in the thread pool, as those of Geo.Messaging do, and not within the receive loop.
/// </param>
/// <param name="HasLargeSendBuffer">
/// True when the socket program asks for the largest send buffer the kernel grants, in place of one that grows.
/// </param>
internal sealed record Variant(
    string Name,
    Stack Stack,
    int Lanes,
    bool HasAffinity = true,
    int BackgroundLanes = 0,
    int BackgroundActors = 0,
    bool PooledActors = false,
    bool HasLargeSendBuffer = false)
{
    private const int BulkActors = 16;
    private const int GossipActors = 2;

    /// <summary>The actors of large messages on loopback, and the connections that they have.</summary>
    public const int LargeActors = 4;

    /// <summary>The socket program whose actors go on in the thread pool.</summary>
    public static Variant PooledPlain { get; } = new("plain, 1 connection, pooled actors", Stack.Plain, 1, PooledActors: true);

    /// <summary>The socket program with a large send buffer.</summary>
    public static Variant LargeBufferPlain { get; } = new(
        "plain, 1 connection, large send buffer", Stack.Plain, 1, HasLargeSendBuffer: true);

    /// <summary>The variants that are compared at a cell, the ones that others are put in relation to first.</summary>
    public static IReadOnlyList<Variant> Of(Workload workload, int lanes) => workload switch
    {
        Workload.Echo => [Plain(1), Plain(lanes), .. GeoMatrix(lanes), .. OrleansOf(workload, lanes)],
        Workload.KeyValue => GeoMatrix(lanes),
        Workload.HeadOfLine =>
        [
            PlainInOne, PlainBeside(lanes), GeoOwnKey(1), GeoOwnKey(lanes), GeoOwnChannel(lanes), .. OrleansOf(workload, lanes),
        ],
        Workload.LoopbackRequest => [Plain(1), PooledPlain, Geo(1), .. OrleansOf(workload, lanes)],
        Workload.LoopbackAwait => [PooledPlain, Geo(1)],
        Workload.LoopbackLarge or Workload.LoopbackLargeTls => [Plain(LargeActors), Geo(LargeActors)],
        _ => [Plain(1), Geo(1), .. OrleansOf(workload, lanes)],
    };

    /// <summary>The socket program, actors spread over its connections.</summary>
    public static Variant Plain(int connections) => new($"plain, {Connections(connections)}", Stack.Plain, connections);

    /// <summary>Geo.Messaging in order by actor.</summary>
    public static Variant Geo(int lanes) =>
        lanes == 1 ? new("geo, 1 lane", Stack.Geo, 1) : new($"geo, {lanes} lanes, affinity", Stack.Geo, lanes);

    /// <summary>Orleans with one connection to an endpoint and with N.</summary>
    public static IReadOnlyList<Variant> OrleansOf(Workload workload, int lanes)
    {
        var beside = workload == Workload.HeadOfLine ? BulkActors : 0;
        return [.. ((int[])[1, lanes]).Distinct()
            .Select(count => new Variant($"orleans, {Connections(count)}", Stack.Orleans, count, BackgroundActors: beside))];
    }

    /// <summary>The socket program: small and large messages in one connection.</summary>
    public static Variant PlainInOne { get; } = new("plain, one connection", Stack.Plain, 1, BackgroundActors: BulkActors);

    /// <summary>The socket program: small messages in a connection of their own beside N for large ones.</summary>
    public static Variant PlainBeside(int lanes) =>
        new($"plain, own connection beside {lanes}", Stack.Plain, 1, BackgroundLanes: lanes, BackgroundActors: BulkActors);

    /// <summary>Geo.Messaging: small messages under another key.</summary>
    public static Variant GeoOwnKey(int lanes) =>
        new($"geo, {lanes} {(lanes == 1 ? "lane" : "lanes")}, own key", Stack.Geo, lanes, BackgroundActors: BulkActors);

    /// <summary>Geo.Messaging: small messages in another channel.</summary>
    public static Variant GeoOwnChannel(int lanes) =>
        new($"geo, own channel beside {lanes} lanes", Stack.Geo, 1, BackgroundLanes: lanes, BackgroundActors: BulkActors);

    private static Variant[] GeoMatrix(int lanes) =>
    [
        Geo(1),
        new($"geo, {lanes} lanes", Stack.Geo, lanes, HasAffinity: false),
        Geo(lanes),
        new($"geo, {lanes} lanes, background shares them", Stack.Geo, lanes, BackgroundActors: GossipActors),
        new($"geo, {lanes} lanes, background channel", Stack.Geo, lanes, BackgroundLanes: 1, BackgroundActors: GossipActors),
    ];

    private static string Connections(int count) => $"{count} {(count == 1 ? "connection" : "connections")}";
}
