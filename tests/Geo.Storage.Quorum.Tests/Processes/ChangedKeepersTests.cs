using System.Globalization;
using System.Text;
using Geo.Directory;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A region keeps the values no more, and a new one does, while processes write (rules R15 and R16).</summary>
public sealed class ChangedKeepersTests : IAsyncLifetime
{
    // Of each writer, before the next thing happens.
    private const int Writes = 20;

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly KeeperProcesses _keepers = new();

    public ValueTask InitializeAsync() => _keepers.InitializeAsync();

    public ValueTask DisposeAsync() => _keepers.DisposeAsync();

    [Fact]
    public async Task One_region_is_taken_out_and_a_new_one_comes_in_while_writers_go_on()
    {
        await _keepers.StartAsync(KeeperProcesses.Spare);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        late.CancelAfter(Limit);
        Writer[] writers = [new("a", await _keepers.OpenAsync()), new("b", await _keepers.OpenAsync())];
        var store = (QuorumConditionalStore)await _keepers.OpenAsync();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(late.Token);
        var running = Array.ConvertAll(writers, w => w.RunAsync(end.Token, late.Token));
        await WrittenAsync(writers, running, late.Token);

        await MadeAsync(() => store.RemoveKeeperAsync(new ClusterId("eu"), late.Token), late.Token);
        await _keepers.KillAsync("eu");
        await WrittenAsync(writers, running, late.Token);

        await MadeAsync(() => store.AddKeeperAsync(new ClusterId(KeeperProcesses.Spare), late.Token), late.Token);
        await WrittenAsync(writers, running, late.Token);

        // Two of the three that keep the values now, of which one is new.
        await _keepers.KillAsync("us");
        await WrittenAsync(writers, running, late.Token);
        await end.CancelAsync();
        await Task.WhenAll(running);

        var now = await store.DescribeKeepersAsync(late.Token);
        Assert.Equal(["africa", "asia", "us"], now.Clusters.Select(c => c.Name));
        Assert.Equal((3L, true), (now.Version, now.IsSettled));
        foreach (var writer in writers)
        {
            Assert.Equal(writer.Confirmed, await writer.FindAsync(late.Token));
        }
    }

    private static async Task MadeAsync(Func<Task<ConfigurationChange>> change, CancellationToken late)
    {
        ConfigurationChange made;
        do
        {
            late.ThrowIfCancellationRequested();
            made = await change();
        }
        while (!made.IsMade || !made.Message.EndsWith("keep the store.", StringComparison.Ordinal));
    }

    private static async Task WrittenAsync(Writer[] writers, Task[] running, CancellationToken late)
    {
        var written = Task.WhenAll(writers.Select(w => w.WrittenAsync(Writes)));
        await await Task.WhenAny([written, .. running]).WaitAsync(late);
    }

    /// <summary>Counts under a key of its own: what is found is what was confirmed last, or what was attempted after it.</summary>
    private sealed class Writer(string key, IConditionalStore store)
    {
        private readonly Lock _gate = new();
        private readonly List<(int At, TaskCompletionSource Reached)> _awaited = [];
        private ETag? _etag;

        public int Confirmed { get; private set; }

        public Task WrittenAsync(int more)
        {
            lock (_gate)
            {
                var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                _awaited.Add((Confirmed + more, reached));
                return reached.Task;
            }
        }

        public async Task RunAsync(CancellationToken end, CancellationToken late)
        {
            while (!end.IsCancellationRequested)
            {
                var next = Confirmed + 1;
                var write = await store.WriteAsync(key, Encoding.UTF8.GetBytes($"{next}"), _etag, late);
                if (write.Outcome == StoreWriteOutcome.Applied)
                {
                    Confirm(next, write.ETag);
                    continue;
                }

                // An attempt whose outcome is unknown may count late, after it was not found, and then stands against the next one.
                var found = await FindAsync(late);
                Assert.InRange(found, Confirmed, next);
                Confirm(found, _etag);
            }
        }

        /// <summary>What a majority says that is written.</summary>
        public async Task<int> FindAsync(CancellationToken late)
        {
            StoreRead read;
            do
            {
                read = await store.ReadAsync(key, late);
            }
            while (read.Outcome == StoreReadOutcome.Unknown);
            _etag = read.ETag;
            return read.Outcome == StoreReadOutcome.Found
                ? int.Parse(Encoding.UTF8.GetString(read.Value.Span), CultureInfo.InvariantCulture) : 0;
        }

        private void Confirm(int value, ETag? etag)
        {
            lock (_gate)
            {
                (Confirmed, _etag) = (value, etag);
                foreach (var (_, reached) in _awaited.Where(a => a.At <= value))
                {
                    reached.TrySetResult();
                }
            }
        }
    }
}
