namespace Geo.Storage.Quorum.Tests;

/// <summary>A write that is told to have failed never comes afterwards (<see cref="ProtocolRule.AttemptsAreOver"/>).</summary>
public sealed class AttemptsAreOverTests
{
    [Fact]
    public void An_attempt_on_a_value_that_was_never_decided_does_not_come_after_its_conflict() =>
        Assert.Equal(1, LeftAfterTheConflict());

    [Fact]
    public void It_would_without_the_rule() => Assert.Equal(2, LeftAfterTheConflict(ProtocolRule.AttemptsAreOver));

    /// <summary>The length of what is read in the end: 1 for the value that was always there, 2 for that of the failed write.</summary>
    private static int LeftAfterTheConflict(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var left = 0;
        bench.Run(
            async () =>
            {
                bench.OpenAll();
                var first = await bench.Client("writer").Store.WriteAsync("k", new byte[1], null);
                await DeleteAtAsiaAloneAsync(bench, first.ETag!.Value);

                // A create that us does not hear of at first, so that it finds the tombstone; its attempt is still under way to asia when
                // it asks the other two.
                var (creator, way) = bench.Client("creator");
                AcceptRequest? attempt = null;
                way.Passes = (to, request) =>
                {
                    var own = request is AcceptRequest { Value.Bytes.Length: 2 } ? (AcceptRequest)request : null;
                    attempt ??= own;
                    return own is null && to != (attempt is null ? RegisterBench.Us : RegisterBench.Asia);
                };
                Assert.Equal(StoreWriteOutcome.Conflict, (await creator.WriteAsync("k", new byte[2], null)).Outcome);

                await bench.ArriveAsync(RegisterBench.Asia, attempt!);
                var (reader, road) = bench.Client("reader");
                road.Passes = (to, _) => to != RegisterBench.Us;
                left = (await reader.ReadAsync("k")).Value.Length;
            },
            without);
        return left;
    }

    // The tombstone is there, and not decided.
    private static async Task DeleteAtAsiaAloneAsync(RegisterBench bench, ETag expected)
    {
        var (deleter, way) = bench.Client("deleter");
        var isSent = false;
        way.Passes = (to, request) =>
        {
            isSent |= request is AcceptRequest;
            return !isSent || (request is AcceptRequest && to == RegisterBench.Asia);
        };
        Assert.Equal(StoreWriteOutcome.Unknown, (await deleter.DeleteAsync("k", expected)).Outcome);
    }
}
