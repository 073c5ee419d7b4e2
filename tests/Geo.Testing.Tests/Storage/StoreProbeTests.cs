namespace Geo.Testing.Tests.Storage;

public class StoreProbeTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private readonly LosingStore _store = new();
    private readonly ManualTime _time = new();
    private readonly StoreProbe _probe;

    public StoreProbeTests() => _probe = new StoreProbe("Ledgers", _store, _time);

    [Fact]
    public async Task A_store_whose_answer_got_lost_is_asked_again_after_a_while()
    {
        await IsSilentAsync();
        await _store.ReadAsync(times: 1);
        await IsSilentAsync();
        Assert.Equal(1, _store.Reads);

        _store.Answers = true;
        _time.Advance(StoreProbe.GivenUpAfter);
        Assert.Null((await _probe.AskAsync(StoreProbe.GivenUpAfter, TestContext.Current.CancellationToken)).Trouble);
        Assert.Equal(2, _store.Reads);
    }

    [Fact]
    public async Task A_store_that_answers_nothing_and_heeds_no_token_is_asked_a_bounded_number_of_times()
    {
        for (var i = 0; i < 3 * StoreProbe.MostGivenUp; i++)
        {
            await IsSilentAsync();
            await _store.ReadAsync(times: Math.Min(i, StoreProbe.MostGivenUp) + 1);
            _time.Advance(StoreProbe.GivenUpAfter);
        }

        Assert.Equal(1 + StoreProbe.MostGivenUp, _store.Reads);
    }

    private async Task IsSilentAsync()
    {
        var asked = _probe.AskAsync(Moment, TestContext.Current.CancellationToken);
        _time.Advance(Moment);
        Assert.NotNull((await asked).Trouble);
    }

    private sealed class LosingStore() : StoreOver(new InMemoryConditionalStore())
    {
        private int _reads;

        public bool Answers { get; set; }

        public int Reads => Volatile.Read(ref _reads);

        public override ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref _reads);
            return Answers ? base.ReadAsync(key, cancellationToken) : new(new TaskCompletionSource<StoreRead>().Task);
        }

        public async Task ReadAsync(int times)
        {
            using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(30));
            while (Reads < times)
            {
                deadline.Token.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
    }
}
