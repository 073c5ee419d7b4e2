using System.Globalization;
using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// Random runs in which one cluster cannot take all that the others make. What its source was told to be known in two clusters outlives the
/// source, and then a restart of the others one after the other; and what all that costs is bounded.
/// </summary>
public sealed class LatticeKnownTests
{
    private const int Seeds = 200;
    private const int Steps = 40;
    private const int Keys = 4;

    // Of virtual time, at the end of each run: what is to be told is told then, and not again.
    private const double Quiet = 60;

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
        var (made, counts, known) = (0, new Dictionary<string, int>(), new List<(GrainKey Grain, int Update)>());
        string? violation = null;
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var step = 0; step < Steps; step++)
            {
                await StepAsync();
                await world.Delay(random.NextDouble() * 0.3);
            }

            world.Crash("a");
            world.Network.Heal();
            world.Network.Options.Loss = 0;
            await world.Delay(20);
            violation = Excess("c");
            world.OptionsOf.Clear();
            foreach (var restarted in (string[])["b", "c"])
            {
                world.Crash(restarted);
                world.Start(restarted);
                await world.Delay(20);
                violation ??= known.Where(k => !IsThere(restarted, k.Grain, k.Update))
                    .Select(k => $"{restarted} lacks of {k.Grain} what was known: {k.Update}").FirstOrDefault();
            }

            world.Clusters.Remove(new("a"));
            await world.Delay(20);
            var sent = world.Network.Counts.Sent;
            await world.Delay(Quiet);
            violation ??= world.Network.Counts.Sent > sent ? $"{world.Network.Counts.Sent - sent} messages though nothing changes" : null;
        });
        return violation;

        // c makes nothing itself: what it numbers is what it has made known of what others left, each grain once for each change.
        string? Excess(string name) => world[name].Node.Data.Last is var adopted && adopted > made
            ? $"{name} has made {adopted} updates known, of {made} that there are"
            : null;

        async Task StepAsync()
        {
            var key = $"{random.Next(Keys)}";
            switch (random.Next(10))
            {
                case < 3:
                    made++;
                    counts[key] = counts.GetValueOrDefault(key) + 1;
                    await world.Count("a", key, 1);
                    _ = NoteWhenKnownAsync(new("counter", key), counts[key]);
                    break;
                case < 5:
                    await world.Write("a", key, $"{++made} {new string('x', random.Next(1, 60))}");
                    _ = NoteWhenKnownAsync(new("register", key), made);
                    break;
                case < 7:
                    await world.Put("a", key, $"{++made} {new string('x', random.Next(1, 60))}");
                    _ = NoteWhenKnownAsync(new("set", key), made);
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

        async Task NoteWhenKnownAsync(GrainKey grain, int update)
        {
            var wait = Task.CompletedTask;
            await world.At("a", e => wait = e.KnownInAsync(e.Node.Data.Cells.Find(grain)!, 2, CancellationToken.None));
            await wait;
            known.Add((grain, update));
        }

        // a alone writes: with an update of a counter all before it are known, and of a register it or a later one.
        bool IsThere(string name, GrainKey grain, int update) => grain.Type switch
        {
            "counter" => world.State<PnCounter>(name, grain).Value >= update,
            "register" => world.State<LwwRegister<string>>(name, grain) is { HasValue: true } r && UpdateOf(r.Value) >= update,
            _ => world.State<Dotted<OrSet<string>>>(name, grain).Content.Any(item => UpdateOf(item) == update),
        };
    }

    private static int UpdateOf(string text) => int.Parse(text.Split(' ')[0], CultureInfo.InvariantCulture);

    private static LatticeOptions OptionsWith(int maxGrains, LatticeLimits limits) => new()
    {
        MaxRetryAfter = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(300),
        MaxGrains = maxGrains,
        Limits = limits,
    };
}
