namespace Geo.Directory.Tests;

/// <summary>A drain ends, and says what is left and why; its passes run one at a time beside everything else.</summary>
public sealed class DrainTests
{
    private static readonly ClusterId Eu = new("eu"), Us = new("us");

    private static readonly MultiClusterConfiguration Leaving = new(
        new ConfigurationStamp(2, 0),
        new Dictionary<ClusterId, ClusterStage> { [Eu] = ClusterStage.Leaving, [Us] = ClusterStage.Member });

    [Fact]
    public void C8_a_damaged_row_is_counted_and_named_and_keeps_no_other() => World.Run(new World(1, "eu", "us"), async silos =>
    {
        var eu = silos[0];
        await eu.Lane.RunAsync(() => eu.CallAsync(new("cart", "04")));
        await eu.Lane.RunAsync(() => eu.CallAsync(new("cart", "06")));
        await eu.Rows.Inner.WriteAsync("gsi/cart/05", new byte[] { 9, 9 }, null);
        Array.ForEach(silos, s => s.Directory.Process(Leaving));

        Assert.Equal(3, (await DrainAsync(eu)).Held);
        var left = await DrainAsync(eu);
        Assert.Equal(1, left.Held);
        Assert.Contains("row 'gsi/cart/05' is damaged", left.Why, StringComparison.Ordinal);
        Assert.Contains("remove it", left.Why, StringComparison.Ordinal);
        Assert.Empty(eu.Instances);

        // As an operator does.
        var read = await eu.Rows.Inner.ReadAsync("gsi/cart/05");
        await eu.Rows.Inner.DeleteAsync("gsi/cart/05", read.ETag!.Value);
        Assert.Equal(new(0), await DrainAsync(eu));
    });

    [Fact]
    public async Task A_pass_is_not_waited_for_and_the_next_one_begins_when_it_has_ended()
    {
        var (begun, drained, passes) = (0, 0, new Queue<TaskCompletionSource<DrainPass>>());
        var drain = new DrainPasses(
            _ =>
            {
                begun++;
                passes.Enqueue(new());
                return passes.Last().Task;
            },
            () => drained++);

        // One that begins before all have processed the version does not count.
        Assert.Null(Next(areAll: false).Held);
        Assert.Null(Next(areAll: true).Held);
        Assert.Equal(1, begun);
        await EndAsync(new(0));
        Assert.Null(Next(areAll: true).Held);
        Assert.Equal(2, begun);
        await EndAsync(new(2, "two stay"));
        Assert.Equal(new(2, "two stay"), Next(areAll: true));
        passes.Dequeue().SetException(new GeoUnavailableException("the store is away"));
        await drain.EndAsync();
        Assert.Equal(new(null, "the store is away"), Next(areAll: true));
        await EndAsync(new(0));
        Assert.Equal(new(0), Next(areAll: true));
        Assert.Equal((4, 2), (begun, drained));

        // Another version is counted anew.
        Assert.Null(drain.Next(3, areAll: true, CancellationToken.None).Held);
        Assert.Equal(5, begun);

        DrainPass Next(bool areAll) => drain.Next(2, areAll, CancellationToken.None);

        async Task EndAsync(DrainPass pass)
        {
            passes.Dequeue().SetResult(pass);
            await drain.EndAsync();
        }
    }

    private static Task<DrainPass> DrainAsync(Silo silo) => silo.Lane.RunAsync(() => silo.Directory.DrainAsync(CancellationToken.None));
}
