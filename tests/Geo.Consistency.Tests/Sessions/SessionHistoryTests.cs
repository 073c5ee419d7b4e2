using Geo.Testing;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>Random histories of sessions that go from cluster to cluster while these are cut off and restart.</summary>
public sealed class SessionHistoryTests
{
    private const int Sessions = 3;
    private const int Calls = 8;

    // Of each view: in every run, and in the explicit one, all views together 10,000 and more.
    private const int Few = 400;
    private const int Many = 3_400;

    public static TheoryData<string> Views => ["replicated", "leader", "stored"];

    public static TheoryData<string, SessionWeakness, Guarantees> Weaknesses => new()
    {
        { "replicated", SessionWeakness.ForgetsWrites, Guarantees.ReadYourWrites },
        { "replicated", SessionWeakness.ForgetsReads, Guarantees.MonotonicReads },
        { "replicated", SessionWeakness.UpdatesWithout, Guarantees.MonotonicWrites },
        { "replicated", SessionWeakness.UpdatesWithout, Guarantees.WritesFollowReads },
        { "leader", SessionWeakness.ForgetsWrites, Guarantees.ReadYourWrites },
        { "leader", SessionWeakness.ForgetsReads, Guarantees.MonotonicReads },
        { "leader", SessionWeakness.UpdatesWithout, Guarantees.MonotonicWrites },
        { "leader", SessionWeakness.UpdatesWithout, Guarantees.WritesFollowReads },
        { "stored", SessionWeakness.ForgetsWrites, Guarantees.ReadYourWrites },
        { "stored", SessionWeakness.ForgetsReads, Guarantees.MonotonicReads },
        { "stored", SessionWeakness.UpdatesWithout, Guarantees.MonotonicWrites },
        { "stored", SessionWeakness.UpdatesWithout, Guarantees.WritesFollowReads },
    };

    [Theory]
    [MemberData(nameof(Views))]
    public void A_session_sees_what_it_has_read_and_written_in_whichever_cluster(string view) => Check(view, 1, Few);

    [Theory(Explicit = true)]
    [MemberData(nameof(Views))]
    public void A_session_sees_what_it_has_read_and_written_in_ten_thousand_histories(string view) => Check(view, Few + 1, Many);

    [Theory]
    [MemberData(nameof(Weaknesses))]
    public void A_guarantee_is_missed_without_the_part_of_the_token_that_gives_it(
        string view, SessionWeakness weakness, Guarantees guarantee) =>
        Assert.Contains(Enumerable.Range(1, 2_000), seed =>
            GuaranteeChecker.Check(Run(view, seed, weakness).History, guarantee).Outcome == HistoryOutcome.Violated);

    private static void Check(string view, int first, int histories)
    {
        var (returned, misses) = (0L, 0L);
        for (var seed = first; seed < first + histories; seed++)
        {
            var (history, missed) = Run(view, seed, SessionWeakness.None);
            var verdict = GuaranteeChecker.Check(history, Guarantees.Session);
            Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"{view}, history {seed}: {verdict}");
            returned += history.Operations.Count(o => o.ReturnedAt is not null);
            misses += missed;
        }

        TestContext.Current.SendDiagnosticMessage($"{view}: {histories} histories, {returned} calls returned, {misses} refused");
        Assert.True(returned > histories * Sessions * Calls / 2 && misses > histories / 10);
    }

    private static (History<UpdateCall, SeenUpdates> History, int Misses) Run(string view, int seed, SessionWeakness weakness)
    {
        var world = Create(view, seed);
        var history = new History<UpdateCall, SeenUpdates>();
        var random = new Random(seed);
        var number = 0L;
        var clients = Enumerable.Range(1, Sessions)
            .Select(i => new SessionClient(world, history, $"session {i}", weakness, random, () => ++number)).ToArray();
        world.Scheduler.Run(async () =>
        {
            await world.StartAsync();
            var running = Task.WhenAll(clients.Select(c => c.RunAsync(Calls)));
            while (!running.IsCompleted)
            {
                await Task.WhenAny(running, Task.Delay(TimeSpan.FromMilliseconds(random.Next(1_000)), world.Scheduler.Time));
                await world.DisturbAsync(random);
            }

            await running;
        });
        return (history, clients.Sum(c => c.Misses));
    }

    private static ISessionWorld Create(string view, int seed) => view switch
    {
        "leader" => new LedSessionWorld(seed, UpdateConfirmation.Leader),
        "stored" => new StoredSessionWorld(seed),
        _ => new LedSessionWorld(seed, UpdateConfirmation.Replicated),
    };
}
