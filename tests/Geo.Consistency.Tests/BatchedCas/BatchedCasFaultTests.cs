using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>Every outcome at every storage operation of a workload, alone and in pairs.</summary>
public sealed class BatchedCasFaultTests(ITestOutputHelper output)
{
    private static readonly Fault[] Faults = [.. Enum.GetValues<Fault>().Where(f => f != Fault.None)];

    [Theory]
    [InlineData(1, 16)]
    [InlineData(2, 30)]
    [InlineData(3, 40)]
    public void Each_update_takes_effect_once_whatever_happens_to_any_one_operation(int instances, int positions)
    {
        var runs = 0;
        for (var position = 0; position < positions; position++)
        {
            foreach (var fault in Faults)
            {
                Run(instances, runs++, (position, fault));
            }
        }

        output.WriteLine($"{runs} runs");
        Assert.Equal(positions * Faults.Length, runs);
    }

    [Theory]
    [InlineData(1, 14)]
    [InlineData(2, 12)]
    public void Each_update_takes_effect_once_whatever_happens_to_any_two_operations(int instances, int positions)
    {
        var runs = 0;
        for (var first = 0; first < positions; first++)
        {
            for (var second = first + 1; second < positions; second++)
            {
                foreach (var firstFault in Faults)
                {
                    foreach (var secondFault in Faults)
                    {
                        Run(instances, runs++, (first, firstFault), (second, secondFault));
                    }
                }
            }
        }

        output.WriteLine($"{runs} runs");
        Assert.Equal(positions * (positions - 1) / 2 * Faults.Length * Faults.Length, runs);
    }

    [Fact]
    public void Without_the_numbers_the_same_faults_lose_or_double_updates()
    {
        var violations = 0;
        CasRules.SwitchOff(CasRule.Landed);
        try
        {
            foreach (var fault in Faults)
            {
                for (var position = 0; position < 16; position++)
                {
                    violations += IsBroken(position, fault) ? 1 : 0;
                }
            }
        }
        finally
        {
            CasRules.SwitchOff(null);
        }

        output.WriteLine($"{violations} of {Faults.Length * 16} runs violate the promises");
        Assert.True(violations > 0);
    }

    private static bool IsBroken(int position, Fault fault)
    {
        try
        {
            Run(new CasWorld(), 1, looksAlways: false, (position, fault));
            return false;
        }
        catch (Xunit.Sdk.FailException)
        {
            return true;
        }
    }

    private static void Run(int instances, int seed, params (int Position, Fault Fault)[] script) =>
        Run(new CasWorld(seed), instances, looksAlways: seed % 2 == 0, script);

    private static void Run(CasWorld world, int instances, bool looksAlways, params (int Position, Fault Fault)[] script)
    {
        foreach (var (position, fault) in script)
        {
            world.Store.Script[position] = fault;
        }

        new CasWorkload(world, instances, looksAlways).Run();
    }
}
