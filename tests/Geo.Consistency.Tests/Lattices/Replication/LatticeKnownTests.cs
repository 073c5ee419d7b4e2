using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// Random runs in which one cluster cannot take all that the others make. What its source was told to be known in two clusters outlives the
/// source, and then a restart of the others one after the other.
/// </summary>
public sealed class LatticeKnownTests
{
    private const int Seeds = 200;

    [Fact]
    public void What_is_known_in_two_clusters_outlives_the_crash_of_each()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            var violation = Run(seed.Value);
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }
    }

    [Fact]
    public void That_is_missed_where_who_has_put_something_aside_does_not_tell_what_it_has_beyond()
    {
        LatticeRules.SwitchOff(LatticeRule.TellBeyond);
        try
        {
            Assert.Contains(Enumerable.Range(1, Seeds), seed => Run(seed) is not null);
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }
    }

    private static string? Run(int seed)
    {
        var random = new Random(seed);
        var world = new LatticeWorld(
            seed,
            ["a", "b", "c"],
            new()
            {
                MinDelay = TimeSpan.FromMilliseconds(10),
                MaxDelay = TimeSpan.FromMilliseconds(random.Next(3) == 0 ? 1000 : 100),
                Loss = random.Next(3) == 0 ? 0.3 : 0,
                Duplication = random.Next(3) == 0 ? 0.2 : 0,
            },
            OptionsWith(int.MaxValue, LatticeLimits.Default));
        world.OptionsOf["b"] = random.Next(2) == 0
            ? OptionsWith(random.Next(1, 5), LatticeLimits.Default)
            : OptionsWith(int.MaxValue, new() { MaxBytes = random.Next(20, 60) });
        world.Crash("b");
        world.Start("b");
        var (made, known) = (new Dictionary<string, long>(), new Dictionary<string, long>());
        string? violation = null;
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var step = 0; step < 40; step++)
            {
                await StepAsync();
                await world.Delay(random.NextDouble() * 0.3);
            }

            world.Crash("a");
            world.Network.Heal();
            world.Network.Options.Loss = 0;
            await world.Delay(20);
            world.OptionsOf.Clear();
            foreach (var restarted in (string[])["b", "c"])
            {
                world.Crash(restarted);
                world.Start(restarted);
                await world.Delay(20);
                violation ??= known.Where(k => world.State<PnCounter>(restarted, new("counter", k.Key)).Value < k.Value)
                    .Select(k => $"{restarted} lacks of counter {k.Key} what was known: {k.Value}").FirstOrDefault();
            }
        });
        return violation;

        async Task StepAsync()
        {
            var key = $"{random.Next(4)}";
            switch (random.Next(10))
            {
                case < 5:
                    made[key] = made.GetValueOrDefault(key) + 1;
                    await world.Count("a", key, 1);
                    _ = NoteWhenKnownAsync(key, made[key]);
                    break;
                case < 7:
                    await world.Put("a", key, new string('x', random.Next(1, 60)));
                    break;
                case 7:
                    world.Network.Cut(new("a"), new("c"));
                    world.Network.Cut(new("c"), new("a"));
                    break;
                case 8:
                    world.Network.Cut(new("b"), new("c"));
                    break;
                default:
                    world.Network.Heal();
                    break;
            }
        }

        async Task NoteWhenKnownAsync(string key, long amount)
        {
            var wait = Task.CompletedTask;
            await world.At("a", e => wait = e.KnownInAsync(e.Node.Data.Cells.Find(new("counter", key))!, 2, CancellationToken.None));
            await wait;
            known[key] = Math.Max(amount, known.GetValueOrDefault(key));
        }
    }

    private static LatticeOptions OptionsWith(int maxGrains, LatticeLimits limits) => new()
    {
        MaxRetryAfter = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(300),
        MaxGrains = maxGrains,
        Limits = limits,
    };
}
