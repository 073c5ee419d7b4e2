using FsCheck;
using FsCheck.Fluent;
using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

public sealed class BatchedCasPropertyTests
{
    private static readonly int Runs = int.TryParse(Environment.GetEnvironmentVariable("GEO_CAS_RUNS"), out var runs) ? runs : 600;

    [Fact]
    public void Random_schedules_and_faults_keep_every_promise()
    {
        var runs = 0;
        var cases =
            from seed in Gen.Choose(0, int.MaxValue - 3)
            from instances in Gen.Choose(1, 4)
            from loss in Gen.Elements(0, 0.1, 0.4)
            from isEager in Gen.Elements(false, true)
            from script in Gen.ArrayOf(Gen.Choose(0, 60).SelectMany(_ => Gen.Choose(0, 6), (position, fault) => (position, (Fault)fault)))
            select (seed, instances, loss, isEager, script);
        Prop.ForAll(cases.ToArbitrary(), c =>
        {
            var world = new CasWorld(c.seed, c.loss)
            {
                Options = c.isEager
                    ? new() { HandInAfter = 1, HandInWait = TimeSpan.FromMilliseconds(50), MaxBatch = 4, MaxInstances = 6 }
                    : new(),
            };
            world.Store.Half = TimeSpan.FromMilliseconds(c.isEager ? 10 : 2);
            foreach (var (position, fault) in c.script)
            {
                world.Store.Script[position] = fault;
            }

            new CasWorkload(world, c.instances, looksAlways: c.seed % 2 == 0).Run();
            runs++;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs));
        Assert.Equal(Runs, runs);
    }
}
