namespace Geo.Experiments.Messaging.Claims;

/// <summary>What Geo.Messaging promises beside plain sockets, and the runs that show it.</summary>
internal static class MustShow
{
    private const double LeastBulkShare = 0.8;

    /// <summary>Every promise.</summary>
    /// <param name="lanes">What N is.</param>
    public static IReadOnlyList<Claim> Claims(int lanes)
    {
        var (geo, plain) = (Variant.Geo(lanes), Variant.Plain(lanes));
        var (ownKey, ownChannel, beside) = (Variant.GeoOwnKey(lanes), Variant.GeoOwnChannel(lanes), Variant.PlainBeside(lanes));
        var headOfLine = Cell.Parse("hol/8MB/20ms/x16");
        return
        [
            Share("echo/512KB/20ms/x128", 0.80, geo, plain),
            Share("echo/8MB/20ms/x16", 0.80, geo, plain),
            Share("echo/8MB/20ms/x128", 0.80, geo, plain),
            Share("echo/8MB/20ms/x1", 1.90, geo, Variant.Plain(1)),
            Share("echo/512KB/145ms/x128", 0.80, geo, plain),
            Share("echo/512KB/1ms/x16", 0.80, geo, Variant.Plain(1), plain),
            Share("echo/1KB/1ms/x128", 0.95, geo, Variant.Geo(1)),
            Share("echo/1KB/1ms/x128", 0.75, geo, Variant.Plain(1)),
            OfIdeal(Cell.Parse("echo/1KB/20ms/x128"), 0.97, geo),
            .. new[] { ownKey, ownChannel }.SelectMany(variant => (Claim[])
            [
                new(
                    $"{variant.Name}: p50 beside bulk of p50 idle", headOfLine, Limit.AtMost(1.1), [variant],
                    runs => runs[0].Median / runs[0].Peers[0].IdleMedian!.Value),
                new(
                    $"{variant.Name}: longest beside bulk of longest idle", headOfLine, Limit.AtMost(2), [variant],
                    runs => runs[0].Peers[0].Maximum / runs[0].Peers[0].IdleMaximum!.Value),
                new(
                    $"{variant.Name}: bulk of that of '{beside.Name}'", headOfLine, Limit.AtLeast(LeastBulkShare), [variant, beside],
                    runs => runs[0].BulkMegabytesPerSecond / runs[1].BulkMegabytesPerSecond),
            ]),
            Share("loopback-request/100B/0ms/x128", 0.50, Variant.Geo(1), Variant.Plain(1)),
            Share("loopback-request/100B/0ms/x128", 0.50, Variant.Geo(1), Variant.PooledPlain),
            Share("loopback-request/1KB/0ms/x128", 0.50, Variant.Geo(1), Variant.Plain(1)),
            Share("loopback-request/1KB/0ms/x128", 0.50, Variant.Geo(1), Variant.PooledPlain),
            Share("loopback-await/100B/0ms/x128", 0.50, Variant.Geo(1), Variant.PooledPlain),
            Share("loopback-await/1KB/0ms/x128", 0.50, Variant.Geo(1), Variant.PooledPlain),
            Share("loopback-large/1MB/0ms/x4", 0.85, Variant.Geo(Variant.LargeActors), Variant.Plain(Variant.LargeActors)),
            Share("loopback-large-tls/1MB/0ms/x4", 0.80, Variant.Geo(Variant.LargeActors), Variant.Plain(Variant.LargeActors)),
            Share("loopback-oneway/100B/0ms/x128", 0.40, Variant.Geo(1), Variant.Plain(1)),
            Share("loopback-oneway/1KB/0ms/x128", 0.40, Variant.Geo(1), Variant.Plain(1)),
        ];
    }

    /// <summary>The cells of all promises, each with the variants that they are about and what stands beside.</summary>
    public static IReadOnlyList<PlannedCell> Cells(int lanes) =>
    [
        .. from claim in Claims(lanes)
           group claim by claim.Cell into cell
           select new PlannedCell(cell.Key, [.. cell.SelectMany(claim => claim.Variants).Distinct()], [.. References(cell.Key, lanes)]),
    ];

    private static IEnumerable<Variant> References(Cell cell, int lanes) =>
    [
        .. cell.Actors == 1 ? [Variant.LargeBufferPlain] : (Variant[])[],
        .. Variant.Of(cell.Workload, lanes).Where(variant => variant.Stack == Stack.Orleans),
    ];

    private static Claim Share(string cell, double least, Variant variant, params Variant[] references) => new(
        $"'{variant.Name}' of {(references.Length > 1 ? "the better of " : "")}"
            + string.Join(" and ", references.Select(reference => $"'{reference.Name}'")),
        Cell.Parse(cell),
        Limit.AtLeast(least),
        [variant, .. references],
        runs => runs[0].OpsPerSecond / runs.Skip(1).Max(run => run.OpsPerSecond));

    // In a closed loop every actor has at most one message to and fro in a round trip.
    private static Claim OfIdeal(Cell cell, double least, Variant variant) => new(
        $"'{variant.Name}' of actors / round trip",
        cell,
        Limit.AtLeast(least),
        [variant],
        runs => runs[0].OpsPerSecond * cell.RoundTripMilliseconds / 1000 / cell.Actors);
}
