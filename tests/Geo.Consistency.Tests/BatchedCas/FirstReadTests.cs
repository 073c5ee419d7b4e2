using Geo.Consistency.Tests.Kit;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>The first read of the one instance that there is readies its first write, where the store knows how.</summary>
public sealed class FirstReadTests
{
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void It_readies_the_first_write_where_nobody_else_writes(bool isSingle, int readied)
    {
        var scheduler = new SimulationScheduler();
        var store = new PreparingStore();
        var (us, eu) = (new ClusterId("us"), new ClusterId("eu"));
        var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)), new SimulatedNetworkOptions());
        var exchange = new ReplicaExchange(
            network.Join(us, scheduler.Root), () => [us, eu], (_, _) => new(false), scheduler.Time, new Random(1));
        var services = new ViewServices(new CountingSerializer(), _ => store, scheduler.Time, new Random(1), NullLoggerFactory.Instance);
        scheduler.Run(async () =>
        {
            await using var view = new BatchedCasView<Notes, string>(
                CasWorld.Grain, new NotesModel(), store, exchange.LinkFor(replicated: !isSingle), services, new Listener());
            view.Start();
            for (var i = 0; i < 3; i++)
            {
                await view.RefreshAsync();
                view.Enqueue($"u{i}");
                await view.ConfirmAsync();
            }
        });
        Assert.Equal(readied, store.Readied);
        Assert.InRange(store.Reads, 2 - readied, 3);
    }

    private sealed class PreparingStore : IConditionalStore, IWritePreparation
    {
        private readonly InMemoryConditionalStore _inner = new();

        public int Readied { get; private set; }

        public int Reads { get; private set; }

        public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default)
        {
            Readied++;
            return _inner.ReadAsync(key, cancellationToken);
        }

        public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
        {
            Reads++;
            return _inner.ReadAsync(key, cancellationToken);
        }

        public ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
            _inner.WriteAsync(key, value, expected, cancellationToken);

        public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
            _inner.DeleteAsync(key, expected, cancellationToken);

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
            _inner.ListAsync(prefix, cancellationToken);

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken = default) =>
            _inner.ListAsync(prefix, after, cancellationToken);
    }
}
