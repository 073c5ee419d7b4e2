using Geo.Consistency.Tests.Sessions;

namespace Geo.Consistency.Tests.Views;

/// <summary>Random callers with little room, some of whose updates cannot be written, while clusters are cut off and restart.</summary>
public sealed class ToldHistoryTests(ITestOutputHelper output)
{
    private const int Few = 150;
    private const int Many = 600;
    private const int Callers = 4;
    private const int Calls = 10;

    public static TheoryData<string> Views => ["replicated", "leader", "stored"];

    [Theory]
    [MemberData(nameof(Views))]
    public void Nobody_is_told_what_is_not_so(string view) => Check(view, 1, Few);

    [Theory(Explicit = true)]
    [MemberData(nameof(Views))]
    public void Nobody_is_told_what_is_not_so_in_many_histories(string view) => Check(view, Few + 1, Many);

    private void Check(string view, int first, int histories)
    {
        var told = new Dictionary<string, int>();
        for (var seed = first; seed < first + histories; seed++)
        {
            Run(view, seed, told);
        }

        output.WriteLine($"{view}: {string.Join(", ", told.OrderBy(t => t.Key).Select(t => $"{t.Key} {t.Value}"))}");
        string[] ends =
        [
            "applied", "UpdateAsync GeoUnavailableException", "UpdateAsync GeoSerializationException",
            "ConfirmAsync GeoSerializationException", "ReadAsync SessionLostException", "ReadAsync GeoOutcomeUnknownException",
        ];
        Assert.All(ends, end => Assert.True(told.GetValueOrDefault(end) > histories / 50, $"{end}: {told.GetValueOrDefault(end)}"));
    }

    private static void Run(string view, int seed, Dictionary<string, int> told)
    {
        var random = new Random(seed);
        var world = Create(view, seed, random.Next(1, 4), 2 + (seed % 3));
        var record = new ToldRecord(told);
        world.Scheduler.Run(async () =>
        {
            await world.StartAsync();
            var calling = Task.WhenAll(Enumerable.Range(1, Callers).Select(i => new ToldCaller(world, record, random, i).RunAsync(Calls)));
            while (!calling.IsCompleted)
            {
                await Task.WhenAny(calling, Task.Delay(TimeSpan.FromMilliseconds(random.Next(1_500)), world.Scheduler.Time));
                await world.DisturbAsync(random);
            }

            await calling;
            world.Heal();
            await Task.Delay(TimeSpan.FromMinutes(1), world.Scheduler.Time);
            var log = await world.CallAsync(world.Clusters[0], v => v.ReadAsync(notes => notes.Lines.ToArray(), ViewRead.Linearizable));
            record.Check($"{view}, seed {seed}", log.Value);
        });
    }

    private static ISessionWorld Create(string view, int seed, int maxWaiters, int maxInstances) => view switch
    {
        "leader" => new LedSessionWorld(seed, UpdateConfirmation.Leader, maxWaiters, maxInstances),
        "stored" => new StoredSessionWorld(seed, maxWaiters, maxInstances).WithFaults(100, new(seed)),
        _ => new LedSessionWorld(seed, UpdateConfirmation.Replicated, maxWaiters, maxInstances),
    };
}
