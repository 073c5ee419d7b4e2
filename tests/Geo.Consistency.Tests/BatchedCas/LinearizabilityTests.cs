using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>Linearizable update = enqueue, confirm; linearizable read = refresh, read (GEO section 2.2).</summary>
public sealed class LinearizabilityTests
{
    private static readonly SequentialModel<int, string, int> Counter =
        new(0, (state, operation) => operation == "add" ? (state + 1, 0) : (state, state));

    [Fact]
    public void Updates_and_reads_from_three_clusters_are_linearizable_under_storage_faults()
    {
        for (var seed = 0; seed < 60; seed++)
        {
            var history = new History<string, int>();
            Run(seed, history, isLinearizable: true);
            var verdict = LinearizabilityChecker.Check(history, Counter);
            Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"seed {seed}: {verdict.Explanation}");
        }
    }

    [Fact]
    public void They_are_when_one_instance_writes_and_reads_for_the_others()
    {
        var (withHelp, alone) = (Operations(1024), Operations(0));
        Assert.True(withHelp < alone * 0.9, $"{withHelp} operations of the store, {alone} without help");

        static int Operations(int maxHandInBytes)
        {
            var operations = 0;
            for (var seed = 0; seed < 40; seed++)
            {
                var history = new History<string, int>();
                var world = new CasWorld(seed, loss: seed % 3 * 0.05)
                {
                    Options = new() { HandInAfter = 1, MaxHandInBytes = maxHandInBytes },
                };
                world.Store.Half = TimeSpan.FromMilliseconds(10);
                Run(world, seed, history, isLinearizable: true, operations: 20);
                var verdict = LinearizabilityChecker.Check(history, Counter);
                Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"seed {seed}: {verdict.Explanation}");
                operations += world.Store.Operations;
            }

            return operations;
        }
    }

    [Fact]
    public void Local_reads_are_not_which_shows_that_the_check_can_fail()
    {
        var violated = 0;
        for (var seed = 0; seed < 20; seed++)
        {
            var history = new History<string, int>();
            Run(seed, history, isLinearizable: false);
            violated += LinearizabilityChecker.Check(history, Counter).Outcome == HistoryOutcome.Violated ? 1 : 0;
        }

        Assert.True(violated > 0);
    }

    private static void Run(int seed, History<string, int> history, bool isLinearizable) =>
        Run(new CasWorld(seed), seed, history, isLinearizable, operations: 6);

    private static void Run(CasWorld world, int seed, History<string, int> history, bool isLinearizable, int operations)
    {
        var random = new Random(seed);
        for (var i = 0; i < 6; i++)
        {
            world.Store.Script[random.Next(40)] = (Fault)random.Next(1, 7);
        }

        for (var i = 0; i < 3; i++)
        {
            world.Add();
        }

        world.Run(() => Task.WhenAll(world.Instances.Select(instance => instance.Do(async view =>
        {
            for (var i = 0; i < operations; i++)
            {
                await world.Delay(random.Next(12));
                if (random.Next(2) == 0)
                {
                    var add = history.Call("notes", $"{view.InstanceId}", "add");
                    view.Enqueue("u");
                    await view.ConfirmAsync();
                    add.Return(0);
                }
                else
                {
                    var read = history.Call("notes", $"{view.InstanceId}", "read");
                    if (isLinearizable)
                    {
                        await view.RefreshAsync();
                    }

                    read.Return(view.Confirmed.Lines.Count);
                }
            }
        }))));
    }
}
