namespace Geo.Testing.Tests;

public class StoreProbeTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    [Fact]
    public async Task A_store_whose_answer_got_lost_is_asked_again_after_a_while()
    {
        var (store, time) = (new LosingStore(), new ManualTime());
        var probe = new StoreProbe("Ledgers", store, time);
        Assert.NotNull((await AskAsync(probe, time)).Trouble);
        Assert.NotNull((await AskAsync(probe, time)).Trouble);
        Assert.Equal(1, store.Reads);

        store.Answers = true;
        time.Advance(StoreProbe.GivenUpAfter);
        Assert.Null((await AskAsync(probe, time)).Trouble);
        Assert.Equal(2, store.Reads);
    }

    [Fact]
    public async Task A_store_that_answers_nothing_and_heeds_no_token_is_asked_a_bounded_number_of_times()
    {
        var (store, time) = (new LosingStore(), new ManualTime());
        var probe = new StoreProbe("Ledgers", store, time);
        for (var i = 0; i < 3 * StoreProbe.MostGivenUp; i++)
        {
            Assert.NotNull((await AskAsync(probe, time)).Trouble);
            time.Advance(StoreProbe.GivenUpAfter);
        }

        Assert.Equal(1 + StoreProbe.MostGivenUp, store.Reads);
    }

    private static async Task<StoreAnswer> AskAsync(StoreProbe probe, ManualTime time)
    {
        var asked = probe.AskAsync(Moment, TestContext.Current.CancellationToken);
        while (!asked.IsCompleted)
        {
            await Task.Yield();
            time.Advance(Moment);
        }

        return await asked;
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
    }
}
