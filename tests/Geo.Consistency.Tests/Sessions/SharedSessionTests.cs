namespace Geo.Consistency.Tests.Sessions;

/// <summary>
/// Calls of one session side by side, with conditions, tentative reads and updates that cannot be written, while clusters are cut off and
/// restart: what a call has seen or written when another begins, that one shows, or it says that it cannot.
/// </summary>
public sealed class SharedSessionTests
{
    private const int Calls = 12;

    // Of each view: in every run, and in the explicit one.
    private const int Few = 300;
    private const int Many = 3_000;

    public static TheoryData<string> Views => ["replicated", "leader", "stored", "handed in"];

    [Theory]
    [MemberData(nameof(Views))]
    public void Whatever_one_call_has_seen_the_next_one_shows_or_refuses(string view) => Check(view, 1, Few);

    [Theory(Explicit = true)]
    [MemberData(nameof(Views))]
    public void Whatever_one_call_has_seen_the_next_one_shows_or_refuses_in_many_histories(string view) => Check(view, Few + 1, Many);

    private static void Check(string view, int first, int histories)
    {
        var (reads, restarts) = (0, 0);
        for (var seed = first; seed < first + histories; seed++)
        {
            var (session, stranger) = Run(view, seed);
            string[] broken = [.. session.Broken, .. stranger.Broken];
            Assert.True(broken.Length == 0, $"{view}, history {seed}: {string.Join("; ", broken)}");
            (reads, restarts) = (reads + session.Reads, restarts + session.Restarts);
        }

        TestContext.Current.SendDiagnosticMessage($"{view}: {reads} reads, {restarts} restarts in {histories} histories");
        Assert.True(reads > 5 * histories, $"{reads} reads, {restarts} restarts");
    }

    private static (SharedSession Session, SharedSession Stranger) Run(string view, int seed)
    {
        var random = new Random(seed);
        var last = 0;
        ISessionWorld world = view switch
        {
            "leader" => new LedSessionWorld(seed, UpdateConfirmation.Leader),
            "handed in" => new StoredSessionWorld(seed, maxInstances: 4, handInAfter: 1, loss: 0.05).WithFaults(20, random),
            "stored" => new StoredSessionWorld(seed).WithFaults(20, random),
            _ => new LedSessionWorld(seed, UpdateConfirmation.Replicated),
        };
        var session = new SharedSession(world, random, () => $"u{++last}");
        var stranger = new SharedSession(world, random, () => $"u{++last}");
        world.Scheduler.Run(async () =>
        {
            await world.StartAsync();
            var calling = Task.WhenAll(
                session.CallAsync(Calls), session.CallAsync(Calls), session.CallAsync(Calls), stranger.CallAsync(Calls));
            while (!calling.IsCompleted)
            {
                await Task.WhenAny(calling, Task.Delay(TimeSpan.FromMilliseconds(random.Next(1_500)), world.Scheduler.Time));
                await world.DisturbAsync(random);
            }

            await calling;
            world.Heal();
            var log = await world.CallAsync("a", v => v.ReadAsync(n => n.Lines.ToArray(), ViewRead.Linearizable));
            session.CheckOrder(log.Value);
            stranger.CheckOrder(log.Value);
        });
        return (session, stranger);
    }
}
