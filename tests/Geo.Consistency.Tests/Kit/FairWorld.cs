using Geo.Testing;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Kit;

/// <summary>
/// Clusters that update one persistent grain in closed loops, in virtual time: each has its own way to the one store, and 145 ms to the
/// other clusters and back.
/// </summary>
internal sealed class FairWorld
{
    internal static readonly TimeSpan Near = TimeSpan.FromMilliseconds(10);
    internal static readonly TimeSpan Far = TimeSpan.FromMilliseconds(145);
    private static readonly GrainKey Grain = new("notes", "1");

    private readonly SimulationScheduler _scheduler = new(order: new ChoiceTape("order", new Random(1)));
    private readonly InMemoryConditionalStore _store = new();
    private readonly List<Writer> _writers = [];
    private readonly CountingConditionalStore _counting;

    internal FairWorld(BatchedCasOptions options, params TimeSpan[] ways)
    {
        _counting = new(_store);
        var network = new SimulatedNetwork(_scheduler, new ChoiceTape("network", new Random(2)), new SimulatedNetworkOptions
        {
            MinDelay = Far / 2,
            MaxDelay = Far / 2,
        });
        ClusterId[] clusters = [.. ways.Select((_, i) => new ClusterId(((char)('a' + i)).ToString()))];
        for (var i = 0; i < ways.Length; i++)
        {
            var lane = _scheduler.CreateLane(clusters[i].Name);
            var exchange = new ReplicaExchange(
                network.Join(clusters[i], lane), () => clusters, (_, _) => new(false), _scheduler.Time, new Random(i));
            var store = new LatencyConditionalStore(_counting, ways[i], _scheduler.Time);
            var view = new BatchedCasView<int, int>(
                Grain, new Counter(), store, exchange.LinkFor(replicated: true),
                new ViewServices(new NumberSerializer(), _ => store, _scheduler.Time, new Random(100 + i), NullLoggerFactory.Instance)
                {
                    BatchedCas = options,
                },
                null);
            exchange.Register(Grain, view, lane);
            _writers.Add(new(lane, view));
        }
    }

    internal TimeSpan Now => _scheduler.Time.Elapsed;

    internal IReadOnlyList<Writer> Writers => _writers;

    internal long Conflicts => _counting.Conflicts;

    internal long Writes => _counting.Writes;

    internal long Reads => _counting.Reads;

    /// <summary>Lets so many updaters in some clusters confirm one update after the other, for a time.</summary>
    /// <param name="duration">For how long.</param>
    /// <param name="updaters">How many there are in each cluster.</param>
    /// <param name="pause">How long an updater pauses before each update.</param>
    /// <param name="reads">True in clusters where an updater reads, linearizably, after each update.</param>
    /// <param name="halt">When the process of the first cluster ends, if it does.</param>
    internal void Run(TimeSpan duration, int[] updaters, TimeSpan[]? pause = null, bool[]? reads = null, TimeSpan? halt = null)
    {
        var until = Now + duration;
        _scheduler.Run(async () =>
        {
            var clusters = _writers.Select((writer, i) => Task.WhenAll(Enumerable.Range(0, updaters[i]).Select(_ =>
                writer.Lane.RunAsync(() => UpdateAsync(writer, until, pause?[i] ?? TimeSpan.Zero, reads?[i] == true))))).ToList();
            if (halt is { } after)
            {
                await Task.Delay(after, _scheduler.Time);
                _writers[0].Lane.Halt();
                clusters.RemoveAt(0);
            }

            await Task.WhenAll(clusters);
        });
    }

    private async Task UpdateAsync(Writer writer, TimeSpan until, TimeSpan pause, bool reads)
    {
        while (Now < until)
        {
            if (pause > TimeSpan.Zero)
            {
                await Task.Delay(pause, _scheduler.Time);
            }

            var began = Now;
            using var end = new CancellationTokenSource(until > Now ? until - Now : TimeSpan.FromTicks(1), _scheduler.Time);
            try
            {
                writer.View.Enqueue(1);
                await writer.View.ConfirmAsync(end.Token);
                if (reads)
                {
                    await writer.View.RefreshAsync(end.Token);
                }

                writer.Latencies.Add(Now - began);
                writer.First ??= Now;
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }

    internal sealed record Writer(SimulationLane Lane, BatchedCasView<int, int> View)
    {
        internal List<TimeSpan> Latencies { get; } = [];

        internal TimeSpan? First { get; set; }

        internal TimeSpan Percentile(double part) =>
            Latencies.Order().ElementAtOrDefault((int)(part * (Latencies.Count - 1)));
    }

    private sealed class Counter : IViewModel<int, int>
    {
        public int Create() => 0;

        public int Apply(int state, int update) => state + update;
    }
}
