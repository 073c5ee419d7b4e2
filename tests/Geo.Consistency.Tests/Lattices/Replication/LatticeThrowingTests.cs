using System.Text.Json;
using Geo.Consistency.Lattices;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Lattices of applications, and stores, that throw exceptions which they should not.</summary>
public sealed class LatticeThrowingTests
{
    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulatedNetwork _network;

    public LatticeThrowingTests() => _network = new(_scheduler, new ChoiceTape("network", new Random(1)));

    [Fact]
    public void A_state_that_throws_when_it_is_written_holds_up_no_other_one_and_is_stored_once_it_does_not() => _scheduler.Run(async () =>
    {
        using var exchange = Start(new InMemoryConditionalStore(), new Faults());
        await SetAsync(exchange, "bad", Moody.CannotBeWritten);
        await SetAsync(exchange, "good", 1);
        await DelayAsync(5);
        Assert.Equal(1, exchange.Unsaved);
        await SetAsync(exchange, "bad", Moody.CannotBeWritten + 1);
        await DelayAsync(20);
        Assert.Equal(0, exchange.Unsaved);
    });

    [Fact]
    public void Neither_a_row_that_throws_when_it_is_read_nor_a_store_that_throws_ends_the_reading_of_the_others() =>
        _scheduler.Run(async () =>
        {
            var store = new InMemoryConditionalStore();
            using (var before = Start(store, new Faults()))
            {
                await SetAsync(before, "a", Moody.CannotBeRead);
                await SetAsync(before, "b", 1);
                await DelayAsync(5);
            }

            using var exchange = Start(store, new Faults { FailingLists = 2 });
            await DelayAsync(30);
            Assert.True(exchange.IsLoaded);
            Assert.Equal("a", Assert.Single(exchange.Node.Data.Quarantine).Grain.Key);
            Assert.NotNull(exchange.Node.Data.Cells.Find(new("moody", "b")));
        });

    [Fact]
    public void A_state_that_throws_when_it_is_made_known_holds_up_no_other() => _scheduler.Run(async () =>
    {
        var store = new InMemoryConditionalStore();
        using (var before = Start(store, new Faults()))
        {
            await SetAsync(before, "bad", Moody.CannotBeClosed);
            await SetAsync(before, "good", 1);
            await DelayAsync(5);
        }

        using var exchange = Start(store, new Faults());
        await DelayAsync(20);
        Assert.Equal("bad", Assert.Single(exchange.Node.Data.Quarantine).Grain.Key);
        Assert.NotEqual(0, exchange.Node.Data.Cells.Find(new("moody", "good"))!.Own);
    });

    [Fact]
    public void A_store_that_cannot_list_is_refused_at_the_start()
    {
        using var exchange = New();
        var refusal = Assert.Throws<GeoConfigurationException>(() => exchange.Add(new LatticeClass<Moody>("moody"), new Unlisted()));
        Assert.Contains("'moody'", refusal.Message, StringComparison.Ordinal);
    }

    private LatticeExchange New() => new(
        _network.Join(new("a"), _scheduler.CreateLane("a")), () => [new("a")], _scheduler.Time, new Random(1), NullLogger.Instance,
        new() { MaxSaving = 1 });

    private LatticeExchange Start(IConditionalStore store, Faults faults)
    {
        var exchange = New();
        exchange.Add(new LatticeClass<Moody>("moody"), new Failing(store, faults));
        exchange.Start();
        return exchange;
    }

    private static Task SetAsync(LatticeExchange exchange, string key, long value)
    {
        using var handle = exchange.Open<Moody>(new("moody", key));
        handle.Update((_, _) => new Moody(value));
        return Task.CompletedTask;
    }

    private Task DelayAsync(int seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), _scheduler.Time);

    private sealed class Faults
    {
        public int FailingLists { get; set; }
    }

    private class Failing(IConditionalStore inner, Faults faults) : StoreOver(inner)
    {
        private bool _isStarted;

        public override IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default)
        {
            // The first time it is only asked whether it can.
            var fails = _isStarted && faults.FailingLists-- > 0;
            _isStarted = true;
            return fails ? throw new InvalidOperationException("The store has a bug.") : base.ListAsync(prefix, cancellationToken);
        }
    }

    private sealed class Unlisted() : Failing(new InMemoryConditionalStore(), new())
    {
        public override IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
            throw new GeoStorageException("It cannot be listed.");
    }

    /// <summary>A maximum, of which some values throw.</summary>
    private readonly record struct Moody(long Value) : ILattice<Moody>
    {
        public const long CannotBeWritten = 13;
        public const long CannotBeRead = 26;
        public const long CannotBeClosed = 39;

        public static Moody Bottom => default;

        public static string TypeName => "moody";

        public Moody Merge(Moody other) => new(Math.Max(Value, other.Value));

        public Moody Close(VectorClock through) => Value == CannotBeClosed ? throw new InvalidOperationException() : this;

        public void Write(LatticeWriter to) =>
            to.Body.WriteUnsigned(Value == CannotBeWritten ? throw new InvalidOperationException() : (ulong)Value);

        public static Moody Read(ref LatticeReader from) =>
            from.ReadNumber() is var value and not CannotBeRead ? new(value) : throw new InvalidOperationException();

        public void WriteJson(Utf8JsonWriter to) => to.WriteNumberValue(Value);

        public static Moody ReadJson(JsonElement from) => new(from.GetInt64());
    }
}
