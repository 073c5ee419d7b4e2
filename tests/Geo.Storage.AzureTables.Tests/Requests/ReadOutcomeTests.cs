using System.Text;
using static Geo.Storage.AzureTables.Tests.Requests.FakeService;

namespace Geo.Storage.AzureTables.Tests.Requests;

public sealed class ReadOutcomeTests
{
    private static readonly string Entity = Encoding.UTF8.GetString(EntityJson.Write("k", EntityKey.Of("k"), new byte[] { 7 }).Span);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_read_is_sent_again_after_every_failure_that_may_pass()
    {
        var service = new FakeService(Broken, Answer(500, "InternalError"), Answer(503), Answer(200, Entity, ("ETag", "W/\"1\"")));
        using var store = service.Open();

        var read = await store.ReadAsync("k", Stop);

        Assert.Equal((StoreReadOutcome.Found, new ETag("W/\"1\"")), (read.Outcome, read.ETag));
        Assert.Equal([7], read.Value.ToArray());
        Assert.Equal(4, service.Sent.Count);
    }

    [Theory]
    [InlineData(404, "ResourceNotFound", StoreReadOutcome.NotFound)]
    [InlineData(404, "TableNotFound", StoreReadOutcome.Unknown)]
    [InlineData(404, null, StoreReadOutcome.Unknown)]
    [InlineData(403, "AuthenticationFailed", StoreReadOutcome.Unknown)]
    [InlineData(200, "<html>a proxy</html>", StoreReadOutcome.Unknown)]
    public async Task Only_the_services_own_word_makes_a_key_absent(int status, string? code, StoreReadOutcome outcome)
    {
        var service = new FakeService(Answer(status, code));
        using var store = service.Open();

        var read = await store.ReadAsync("k", Stop);

        Assert.Equal(outcome, read.Outcome);
        Assert.Equal(outcome == StoreReadOutcome.Unknown, read.Reason is not null);
        Assert.Equal(["GET /rows(PartitionKey='k',RowKey='k')"], service.Sent);
    }

    [Fact]
    public async Task A_cancelled_read_throws()
    {
        using var cancel = new CancellationTokenSource();
        using var store = new FakeService(Silent).Open();

        var read = store.ReadAsync("k", cancel.Token).AsTask();
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);
    }

    [Fact]
    public async Task A_list_goes_on_where_the_service_says_and_breaks_off_with_what_was_listed()
    {
        var page = $$"""{"value":[{{Entity[..^1]}},"odata.etag":"W/\"1\""}]}""";
        var service = new FakeService(
            Answer(200, page, ("x-ms-continuation-NextPartitionKey", "1!4!a="), ("x-ms-continuation-NextRowKey", "1!4!b=")),
            Answer(200, """{"value":[]}""", ("x-ms-continuation-NextPartitionKey", "1!4!c=")),
            Answer(403, "AuthenticationFailed"));
        using var store = service.Open(o => o with { PageEntries = 7 });
        var listed = new List<string>();

        var broken = await Assert.ThrowsAsync<GeoUnavailableException>(async () =>
        {
            await foreach (var entry in store.ListAsync("", Stop))
            {
                listed.Add(entry.Key);
            }
        });

        Assert.Contains("AuthenticationFailed", broken.Message, StringComparison.Ordinal);
        Assert.Equal(["k"], listed);
        Assert.Equal(
            [
                "GET /rows()?$top=7",
                "GET /rows()?$top=7&NextPartitionKey=1%214%21a%3D&NextRowKey=1%214%21b%3D",
                "GET /rows()?$top=7&NextPartitionKey=1%214%21c%3D",
            ],
            service.Sent);
    }

    [Fact]
    public async Task A_list_of_something_else_than_a_table_is_unavailable()
    {
        using var store = new FakeService(Answer(200, "{}")).Open();

        await Assert.ThrowsAsync<GeoUnavailableException>(async () => await store.ListAsync("", Stop).CountAsync(Stop));
    }
}
