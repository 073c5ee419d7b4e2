using static Geo.Storage.AzureTables.Tests.Requests.FakeService;

namespace Geo.Storage.AzureTables.Tests.Requests;

public sealed class WriteOutcomeTests
{
    private static readonly ETag Etag = new("W/\"1\"");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(409, "EntityAlreadyExists", StoreWriteOutcome.Conflict)]
    [InlineData(409, "TableBeingDeleted", StoreWriteOutcome.Unknown)]
    [InlineData(404, "TableNotFound", StoreWriteOutcome.Unknown)]
    [InlineData(404, "ResourceNotFound", StoreWriteOutcome.Unknown)]
    [InlineData(400, "InvalidInput", StoreWriteOutcome.Unknown)]
    [InlineData(403, "AuthenticationFailed", StoreWriteOutcome.Unknown)]
    [InlineData(500, "InternalError", StoreWriteOutcome.Unknown)]
    [InlineData(500, "OperationTimedOut", StoreWriteOutcome.Unknown)]
    [InlineData(503, "<html>a proxy</html>", StoreWriteOutcome.Unknown)]
    [InlineData(503, null, StoreWriteOutcome.Unknown)]
    [InlineData(408, null, StoreWriteOutcome.Unknown)]
    [InlineData(204, null, StoreWriteOutcome.Unknown)]
    public async Task A_first_write_is_sent_once_and_conflicts_only_with_an_entity_that_exists(
        int status, string? code, StoreWriteOutcome outcome)
    {
        var service = new FakeService(Answer(status, code));
        using var store = service.Open();

        var write = await store.WriteAsync("k", default, null, Stop);

        Assert.Equal(outcome, write.Outcome);
        Assert.Equal(["POST /rows"], service.Sent);
        Assert.Equal(outcome == StoreWriteOutcome.Unknown, write.Reason is not null);
    }

    [Theory]
    [InlineData(412, "UpdateConditionNotSatisfied", StoreWriteOutcome.Conflict)]
    [InlineData(404, "ResourceNotFound", StoreWriteOutcome.Conflict)]
    [InlineData(404, "EntityNotFound", StoreWriteOutcome.Conflict)]
    [InlineData(404, "TableNotFound", StoreWriteOutcome.Unknown)]
    [InlineData(404, null, StoreWriteOutcome.Unknown)]
    [InlineData(504, null, StoreWriteOutcome.Unknown)]
    public async Task A_replacement_and_a_delete_conflict_with_another_version_or_none(int status, string? code, StoreWriteOutcome outcome)
    {
        var service = new FakeService(Answer(status, code), Answer(status, code));
        using var store = service.Open();

        var write = await store.WriteAsync("k", default, Etag, Stop);
        Assert.Equal("W/\"1\"", service.Headers["If-Match"]);
        var delete = await store.DeleteAsync("k", Etag, Stop);
        Assert.Equal("W/\"1\"", service.Headers["If-Match"]);

        Assert.Equal((outcome, outcome), (write.Outcome, delete.Outcome));
        Assert.Equal(["PUT /rows(PartitionKey='k',RowKey='k')", "DELETE /rows(PartitionKey='k',RowKey='k')"], service.Sent);
    }

    [Fact]
    public async Task A_value_that_the_service_refuses_as_too_large_is_refused_for_good()
    {
        var service = new FakeService(Answer(400, "EntityTooLarge"), Answer(413, "RequestBodyTooLarge"));
        using var store = service.Open();

        await Assert.ThrowsAsync<GeoStorageException>(async () => await store.WriteAsync("k", default, null, Stop));
        await Assert.ThrowsAsync<GeoStorageException>(async () => await store.WriteAsync("k", default, Etag, Stop));
    }

    [Fact]
    public async Task A_write_whose_connection_breaks_is_unknown_and_sent_once()
    {
        var service = new FakeService(Broken, Broken);
        using var store = service.Open();

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.DeleteAsync("k", Etag, Stop)).Outcome);
        Assert.Equal(2, service.Sent.Count);
    }

    [Fact]
    public async Task A_write_without_an_answer_in_time_is_unknown_and_sent_once()
    {
        var service = new FakeService(Silent);
        using var store = service.Open(o => o with { Timeout = TimeSpan.FromMilliseconds(20) });

        var write = await store.WriteAsync("k", default, null, Stop);

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Contains("did not answer within", write.Reason, StringComparison.Ordinal);
        Assert.Single(service.Sent);
    }

    [Fact]
    public async Task A_write_cancelled_under_way_is_unknown()
    {
        using var cancel = new CancellationTokenSource();
        var service = new FakeService(stop =>
        {
            cancel.Cancel();
            return Silent(stop);
        });
        using var store = service.Open();

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, cancel.Token)).Outcome);
    }

    [Theory]
    [InlineData(429, "TooManyRequests")]
    [InlineData(503, "ServerBusy")]
    public async Task A_write_turned_away_for_the_load_is_sent_again(int status, string code)
    {
        var service = new FakeService(Answer(status, code), Answer(status, code, ("Retry-After", "0")), Applied);
        using var store = service.Open();

        var write = await store.WriteAsync("k", default, null, Stop);

        Assert.Equal((StoreWriteOutcome.Applied, new ETag("W/\"2\"")), (write.Outcome, write.ETag));
        Assert.Equal(3, service.Sent.Count);
    }

    [Theory]
    [InlineData(429, "TooManyRequests", StoreWriteOutcome.Conflict)]
    [InlineData(503, "ServerBusy", StoreWriteOutcome.Unknown)]
    public async Task A_conflict_after_busy_is_unknown_since_it_may_be_with_the_first_attempt(
        int status, string code, StoreWriteOutcome outcome)
    {
        var service = new FakeService(Answer(status, code), Answer(412, "UpdateConditionNotSatisfied"));
        using var store = service.Open();

        Assert.Equal(outcome, (await store.WriteAsync("k", default, Etag, Stop)).Outcome);
    }

    [Fact]
    public async Task Repetitions_end_with_the_limit()
    {
        var service = new FakeService(Answer(429), Answer(429), Answer(429), Applied);
        using var store = service.Open(o => o with { MaxRetries = 2 });

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
        Assert.Equal(3, service.Sent.Count);
    }

    [Theory]
    [InlineData("3600")]
    [InlineData("Tue, 31 Dec 2999 23:59:59 GMT")]
    public async Task Where_the_service_asks_for_a_longer_wait_than_allowed_the_outcome_is_unknown_at_once(string wait)
    {
        var service = new FakeService(Answer(503, "ServerBusy", ("Retry-After", wait)), Applied);
        using var store = service.Open();

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
        Assert.Single(service.Sent);
    }

    [Theory]
    [InlineData(429, "TooManyRequests", true)]
    [InlineData(503, "ServerBusy", false)]
    public async Task Cancelled_between_attempts_a_write_has_no_effect_or_is_unknown(int status, string code, bool throws)
    {
        using var cancel = new CancellationTokenSource();
        var service = new FakeService(Answer(status, code));
        using var store = service.Open(o => o with { MaxRetryDelay = TimeSpan.FromMinutes(5), RetryDelay = TimeSpan.FromMinutes(1) });

        var write = store.WriteAsync("k", default, null, cancel.Token).AsTask();
        await cancel.CancelAsync();

        if (throws)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write);
        }
        else
        {
            Assert.Equal(StoreWriteOutcome.Unknown, (await write).Outcome);
        }
    }

    [Fact]
    public async Task One_operation_more_than_allowed_is_unknown_and_not_sent()
    {
        using var cancel = new CancellationTokenSource();
        var service = new FakeService(Silent, Applied);
        using var store = service.Open(o => o with { MaxOutstanding = 1 });

        var first = store.WriteAsync("a", default, null, cancel.Token).AsTask();
        var second = await store.WriteAsync("b", default, null, Stop);
        await cancel.CancelAsync();

        Assert.Equal(StoreWriteOutcome.Unknown, second.Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await first).Outcome);
        Assert.Equal(["POST /rows"], service.Sent);
        Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync("c", default, null, Stop)).Outcome);
    }
}
