using Geo.Messaging;
using Geo.Testing.Conformance;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Testing.Tests.Storage;

/// <summary>A store served by one node and used by another, over real connections.</summary>
public sealed class RemoteConditionalStoreTests : IAsyncLifetime
{
    private static readonly PeerId Account = new("account");

    private readonly InMemoryConditionalStore _inner = new();
    private readonly MessagingNode _server = Node(new MessagingOptions { Peer = Account, ListenOn = PeerAddress.Loopback() });
    private readonly MessagingNode _client = Node(new MessagingOptions { Peer = new PeerId("silo") });

    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        await _server.StartAsync(Stop);
        await _client.StartAsync(Stop);
        await _client.JoinAsync(_server.ListeningOn!, cancellationToken: Stop);
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_a_conditional_store(string name)
    {
        using var service = new StorageAccountService(_server, _inner);
        await using var second = Node(new MessagingOptions { Peer = new PeerId("silo-2") });
        await second.StartAsync(Stop);
        await second.JoinAsync(_server.ListeningOn!, cancellationToken: Stop);
        var handles = new Queue<MessagingNode>([_client, second]);

        await ConditionalStoreConformance.RunAsync(
            name,
            new(() => new(new RemoteConditionalStore(handles.TryDequeue(out var node) ? node : _client, Account)))
            {
                LargeValueBytes = 8 * 1024 * 1024,
                ListedEntries = 600,
            });

        Assert.NotEmpty(_client.Members);
    }

    [Fact]
    public async Task Without_a_link_everything_is_unknown_at_once()
    {
        var store = new RemoteConditionalStore(_client, new PeerId("nobody"));

        Assert.Equal(StoreReadOutcome.Unknown, (await store.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.DeleteAsync("k", new ETag("1"), Stop)).Outcome);
        var failed = await Assert.ThrowsAsync<GeoUnavailableException>(
            async () => await store.ListAsync("", Stop).GetAsyncEnumerator(Stop).MoveNextAsync());
        Assert.StartsWith("The storage account 'nobody' could not be listed: ", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_peer_that_serves_no_store_makes_everything_unknown()
    {
        var store = new RemoteConditionalStore(_client, Account);

        Assert.Equal(StoreReadOutcome.Unknown, (await store.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
    }

    [Fact]
    public async Task An_answer_that_is_late_makes_a_write_unknown_that_takes_effect_all_the_same()
    {
        var time = new ManualTime();
        using var service = new StorageAccountService(_server, new LatencyConditionalStore(_inner, TimeSpan.FromSeconds(2), time));
        var store = new RemoteConditionalStore(_client, Account, new RemoteStoreOptions { Timeout = TimeSpan.FromMilliseconds(300) });

        var writing = store.WriteAsync("k", new byte[] { 1 }, null, Stop).AsTask();
        await time.ArmedAsync(1);
        time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(StoreWriteOutcome.Unknown, (await writing).Outcome);
        Assert.Equal(StoreReadOutcome.Found, (await _inner.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task A_write_cancelled_after_it_was_sent_is_unknown()
    {
        var time = new ManualTime();
        using var service = new StorageAccountService(_server, new LatencyConditionalStore(_inner, TimeSpan.FromSeconds(2), time));
        var store = new RemoteConditionalStore(_client, Account);
        using var cancel = new CancellationTokenSource();

        var writing = store.WriteAsync("k", new byte[] { 1 }, null, cancel.Token).AsTask();
        await time.ArmedAsync(1);
        await cancel.CancelAsync();

        Assert.Equal(StoreWriteOutcome.Unknown, (await writing).Outcome);
    }

    [Fact]
    public async Task What_the_store_refuses_for_good_is_refused_here_with_the_same_message()
    {
        using var service = new StorageAccountService(_server, new InMemoryConditionalStore(maxValueBytes: 2));
        var store = new RemoteConditionalStore(_client, Account);

        var refused = await Assert.ThrowsAsync<GeoStorageException>(async () => await store.WriteAsync("k", new byte[3], null, Stop));

        Assert.Equal("The value for 'k' has 3 bytes; this in-memory store takes at most 2 a value.", refused.Message);
    }

    [Fact]
    public async Task A_node_serves_several_stores_under_different_names()
    {
        using var one = new StorageAccountService(_server, _inner, "one");
        using var two = new StorageAccountService(_server, new InMemoryConditionalStore(), "two");
        var first = new RemoteConditionalStore(_client, Account, new RemoteStoreOptions { Service = "one" });
        var second = new RemoteConditionalStore(_client, Account, new RemoteStoreOptions { Service = "two" });

        await first.WriteAsync("k", default, null, Stop);

        Assert.Equal(StoreReadOutcome.Found, (await first.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(StoreReadOutcome.NotFound, (await second.ReadAsync("k", Stop)).Outcome);
        Assert.Throws<GeoConfigurationException>(
            () => new RemoteConditionalStore(_client, Account, new RemoteStoreOptions { Timeout = TimeSpan.Zero }));
    }

    private static MessagingNode Node(MessagingOptions options) => new(options, TimeProvider.System, NullLoggerFactory.Instance);
}
