using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Geo.Orleans.Tests.Storage;
using Geo.Testing;
using Geo.Testing.Storage;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Orleans.Serialization;
using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Geo.Orleans.Tests.Features;

/// <summary>The three outcomes of a store as the grain storage over it tells them.</summary>
public sealed class SharedGrainStorageTests : IDisposable
{
    private const string State = "kept";

    private static readonly GrainId Grain = GrainId.Create("keeper", "key");
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    private const int MaxAbandoned = 3;

    private readonly ServiceProvider _services = new ServiceCollection().AddSerializer().BuildServiceProvider();
    private readonly VirtualTime _time = new();
    private readonly FaultyConditionalStore _store = new(new InMemoryConditionalStore(), new(), new Random(1), TimeProvider.System);

    public void Dispose() => _services.Dispose();

    [Fact]
    public async Task What_was_written_is_read_with_its_version_and_gone_when_cleared()
    {
        var storage = Over(_store);
        var state = new GrainState<KeptState>(new() { Sum = 7 });
        await storage.WriteStateAsync(State, Grain, state);

        var read = await ReadAsync(storage);
        Assert.Equal((7, true, state.ETag), (read.State!.Sum, read.RecordExists, read.ETag));
        await storage.ClearStateAsync(State, Grain, read);
        Assert.Equal((0, false, null), (read.State.Sum, read.RecordExists, read.ETag));
        Assert.False((await ReadAsync(storage)).RecordExists);
    }

    [Fact]
    public async Task A_write_or_clear_over_another_version_changes_nothing()
    {
        var storage = Over(_store);
        var stale = await ReadAsync(storage);
        await storage.WriteStateAsync(State, Grain, new GrainState<KeptState>(new() { Sum = 7 }));

        await Assert.ThrowsAsync<InconsistentStateException>(() => storage.WriteStateAsync(State, Grain, stale));
        await Assert.ThrowsAsync<InconsistentStateException>(() => storage.ClearStateAsync(State, Grain, stale));

        Assert.Equal(7, (await ReadAsync(storage)).State!.Sum);
    }

    [Fact]
    public async Task What_the_store_does_not_answer_is_refused_as_a_read_and_unknown_as_a_write()
    {
        var storage = Over(_store);
        var state = await ReadAsync(storage);
        _store.Unreachable = true;

        await Assert.ThrowsAsync<GeoUnavailableException>(() => storage.ReadStateAsync(State, Grain, state));
        await Assert.ThrowsAsync<StateOutcomeUnknownException>(() => storage.WriteStateAsync(State, Grain, state));
    }

    [Fact]
    public async Task A_store_that_never_answers_and_ignores_its_token_is_not_waited_for()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        var storage = Over(new SilentStore());
        var read = storage.ReadStateAsync(State, Grain, new GrainState<KeptState>());
        var write = storage.WriteStateAsync(State, Grain, new GrainState<KeptState>(new()));

        _time.Advance(Timeout);

        await Assert.ThrowsAsync<GeoUnavailableException>(() => read);
        await Assert.ThrowsAsync<StateOutcomeUnknownException>(() => write);
    }

    [Fact]
    public async Task A_store_that_does_not_end_what_is_not_waited_for_any_more_is_asked_no_further_and_that_is_counted()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        using var counted = new StorageCounts("counted");
        var silent = new SilentStore();
        var storage = Over(silent, "counted");
        for (var i = 0; i < MaxAbandoned; i++)
        {
            var read = storage.ReadStateAsync(State, Grain, new GrainState<KeptState>());
            _time.Advance(Timeout);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => read);
        }

        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => storage.ReadStateAsync(State, Grain, new GrainState<KeptState>()));
        await Assert.ThrowsAsync<StateOutcomeUnknownException>(
            () => storage.WriteStateAsync(State, Grain, new GrainState<KeptState>(new())));

        Assert.Contains($"{MaxAbandoned} operations", refused.Message, StringComparison.Ordinal);
        Assert.Equal((MaxAbandoned, MaxAbandoned, 2), (silent.Asked, counted.BoundsHit, counted.Refusals));
        silent.Answer();
        Assert.False((await Eventually.Succeeds(() => ReadAsync(storage))).RecordExists);
    }

    [Fact]
    public async Task A_store_that_heeds_its_token_is_told_when_it_is_not_waited_for_any_more()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        var silent = new SilentStore();
        var read = Over(silent).ReadStateAsync(State, Grain, new GrainState<KeptState>());
        Assert.False(silent.LastToken.IsCancellationRequested);

        _time.Advance(Timeout);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => read);

        Assert.True(silent.LastToken.IsCancellationRequested);
    }

    [Fact]
    public void No_two_states_share_a_key()
    {
        var storage = Over(_store);

        Assert.NotEqual(storage.KeyOf("a/keeper", GrainId.Create("keeper", "b")), storage.KeyOf("a", GrainId.Create("keeper", "keeper/b")));
        Assert.Equal("state/a/keeper/b", storage.KeyOf("a", GrainId.Create("keeper", "b")));
        Assert.Equal("state.eu/a/other/b", storage.KeyOf("a", GrainId.Create("other", "b")));
    }

    private static async Task<GrainState<KeptState>> ReadAsync(SharedGrainStorage storage)
    {
        var state = new GrainState<KeptState>();
        await storage.ReadStateAsync(State, Grain, state);
        return state;
    }

    private SharedGrainStorage Over(IConditionalStore store, string name = "shared") => new(
        name, "store", store, new ClusterId("eu"), type => type == Grain.Type,
        new OrleansGeoSerializer(_services.GetRequiredService<Serializer>(), new ClusterId("eu")),
        _services.GetRequiredService<IActivatorProvider>(),
        new SharedGrainStorageOptions { Timeout = Timeout, MaxAbandonedOperations = MaxAbandoned }, _time, NullLogger.Instance);

    /// <summary>Answers nothing until it is told to; from then on it has nothing.</summary>
    private sealed class SilentStore : IConditionalStore
    {
        private readonly TaskCompletionSource _answering = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Asked { get; private set; }

        public CancellationToken LastToken { get; private set; }

        public void Answer() => _answering.SetResult();

        public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
        {
            await AskAsync(cancellationToken);
            return StoreRead.NotFound;
        }

        public async ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
        {
            await AskAsync(cancellationToken);
            return StoreWrite.Conflict;
        }

        public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
        {
            await AskAsync(cancellationToken);
            return StoreWrite.Conflict;
        }

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        private Task AskAsync(CancellationToken cancellationToken)
        {
            (Asked, LastToken) = (Asked + 1, cancellationToken);
            return _answering.Task;
        }
    }
}
